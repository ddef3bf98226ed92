import { create, type MessageShape } from '@bufbuild/protobuf';
import * as QotCommon from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetReference from '@svc-gateway/contract/generated/Qot_GetReference_pb';
import { anyOf } from '@svc-gateway/contract/scope';
import { integer, symbol } from '@svc-gateway/contract/shape';
import { Refusal } from '@svc-gateway/simulator/refusal';
import type { Answer } from '@svc-gateway/simulator/view/facts';
import { locate } from '@svc-gateway/simulator/view/locate';
import { operation, post } from '../../packages/contract/src/declare.js';
import type { AnswersTo } from '../../packages/simulator/src/answers/table.js';
import { lotSize } from '../../packages/simulator/src/view/static-info.js';

// The example of docs/architecture.md: an operation that the program does not have. What follows is printed there.

/** The declaration. */
export const getLotSize = operation({
  name: 'get_lot_size',
  group: 'quote',
  effect: 'read',
  scope: anyOf('qot:read'),
  // The answer is about the requested symbol only, so keys with allowlists may use it.
  reach: 'request',
  protoId: null,
  // A generated module: C2S, S2C, Request, Response.
  messages: QotGetReference,
  // Class of each request field, for allowlists.
  classes: { 'Qot_GetReference.C2S': { security: 'security', referenceType: 'none' } },
  title: 'Lot size',
  summary: 'The lot size of a symbol.',
  guide: 'Call it before an order to round its quantity. Free.',
  // The JSON fields that callers write, and the C2S fields they fill.
  shape: [
    symbol('security'),
    integer('referenceType', { as: 'kind', aliases: ['ref_kind'], min: 1, max: 61, default: 1, about: 'Of which kind.' }),
  ],
  rest: [post('/api/lot-size')],
});

type C2S = MessageShape<typeof QotGetReference.C2SSchema>;
type S2C = MessageShape<typeof QotGetReference.S2CSchema>;

/** The answer. */
const answerLotSize: Answer<'listings', C2S, S2C> = (facts, { security }) => {
  const listing = locate(facts, security);
  if (listing instanceof Refusal) return listing;
  const basic = create(QotCommon.SecurityStaticBasicSchema, {
    security: listing.security,
    // More digits than a double carries.
    id: 281756478396547002n,
    lotSize: lotSize(listing),
    secType: listing.securityType,
    name: '',
    listTime: '',
  });
  return create(QotGetReference.S2CSchema, { staticInfoList: [create(QotCommon.SecurityStaticInfoSchema, { basic })] });
};

/** The row in its group's table. */
export const answers = { getLotSize: answerLotSize } satisfies AnswersTo<{ getLotSize: typeof getLotSize }>;
