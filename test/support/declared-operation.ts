import { create, type MessageShape } from '@bufbuild/protobuf';
import { operation, post } from '../../src/contract/declare.js';
import * as QotCommon from '../../src/contract/generated/Qot_Common_pb.js';
import * as QotGetReference from '../../src/contract/generated/Qot_GetReference_pb.js';
import { anyOf } from '../../src/contract/scope.js';
import { integer, symbol } from '../../src/contract/shape.js';
import type { AnswersTo } from '../../src/simulator/answers/table.js';
import { Refusal } from '../../src/simulator/refusal.js';
import { lotSize } from '../../src/simulator/view/contract-terms.js';
import type { Answer } from '../../src/simulator/view/facts.js';
import { locate } from '../../src/simulator/view/locate.js';

/**
 * The steps of docs/architecture.md, taken for an operation that the program does not have: a declaration, an answer, and a row in
 * the table of its group.
 */
export const getLotSize = operation({
  name: 'get_lot_size',
  group: 'quote',
  effect: 'read',
  scope: anyOf('qot:read'),
  // It tells of the symbol asked for and of nothing else, so that limited keys may ask for theirs.
  reach: 'request',
  protoId: null,
  // A protocol message, or one of proto/svc/: C2S, S2C, Request, Response.
  messages: QotGetReference,
  // What the fields of a request name that is new here, for keys that are limited.
  classes: { 'Qot_GetReference.C2S': { security: 'security', referenceType: 'none' } },
  title: 'Lot size',
  summary: 'The lot size of a symbol.',
  guide: 'Call it before an order to round its quantity. Free.',
  // Which JSON fields callers write, and where in C2S they go.
  shape: [
    symbol('security'),
    integer('referenceType', { as: 'kind', aliases: ['ref_kind'], min: 1, max: 61, default: 1, about: 'Of which kind.' }),
  ],
  rest: [post('/api/lot-size')],
});

type C2S = MessageShape<typeof QotGetReference.C2SSchema>;
type S2C = MessageShape<typeof QotGetReference.S2CSchema>;

/** Its answer: the facts that it names and the typed request in, the typed payload or a refusal out. */
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

/** Its row in the table of its group. */
export const answers = { getLotSize: answerLotSize } satisfies AnswersTo<{ getLotSize: typeof getLotSize }>;
