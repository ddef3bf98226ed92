import { create, type DescMessage, type Message, type MessageShape } from '@bufbuild/protobuf';
import {
  type BasicQot,
  BasicQotSchema,
  FutureBasicQotExDataSchema,
  OptionBasicQotExDataSchema,
  WarrantBasicQotExDataSchema,
} from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetBasicQot from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import * as QotGetSecuritySnapshot from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import type { ResponseMessage } from '@svc-gateway/gateway';
import type { ProtocolOperation } from '../connection/upstream.js';

/** Snapshots: what says the same as quotes, and more, without a subscription. */
export const snapshots: ProtocolOperation<typeof QotGetSecuritySnapshot> = {
  name: 'get_snapshot',
  protoId: 3203,
  messages: QotGetSecuritySnapshot,
};

/** The request for snapshots of what a request for quotes names. */
export function snapshotRequest(c2s: Message): Message {
  const { securityList, header } = c2s as MessageShape<typeof QotGetBasicQot.C2SSchema>;
  return create(QotGetSecuritySnapshot.C2SSchema, { securityList, ...(header === undefined ? {} : { header }) });
}

/** The quotes that snapshots hold; a refusal stays one. */
export function quotesOf(response: ResponseMessage): ResponseMessage {
  const { retType, retMsg, errCode, s2c } = response as MessageShape<typeof QotGetSecuritySnapshot.ResponseSchema>;
  if (s2c === undefined) return create(QotGetBasicQot.ResponseSchema, { retType, retMsg, errCode });
  const basicQotList = s2c.snapshotList.flatMap((snapshot) => quoteOf(snapshot) ?? []);
  return create(QotGetBasicQot.ResponseSchema, { retType, s2c: create(QotGetBasicQot.S2CSchema, { basicQotList }) });
}

function quoteOf({ basic, optionExData, futureExData, warrantExData }: QotGetSecuritySnapshot.Snapshot): BasicQot | undefined {
  if (basic === undefined) return undefined;
  const { isSuspend, amplitude, highPrice, lowPrice, lastClosePrice } = basic;
  // A figure of the quote that snapshots may leave out: the day's range in percent of the last close.
  const range = lastClosePrice === 0 ? 0 : ((highPrice - lowPrice) / lastClosePrice) * 100;
  const quote = copySame(BasicQotSchema, basic, { isSuspended: isSuspend, amplitude: amplitude || range });
  if (quote === undefined) return undefined;
  const option = optionExData && copySame(OptionBasicQotExDataSchema, optionExData);
  const future = futureExData && copySame(FutureBasicQotExDataSchema, futureExData);
  const warrant = warrantExData && copySame(WarrantBasicQotExDataSchema, warrantExData);
  if (option !== undefined) quote.optionExData = option;
  if (future !== undefined) quote.futureExData = future;
  if (warrant !== undefined) quote.warrantExData = warrant;
  return quote;
}

/** `LEGACY_REQUIRED` of a field's presence. */
const REQUIRED = 3;

/** A message of the fields that another has under the same name; undefined where one that it must have is missing. */
function copySame<D extends DescMessage>(
  schema: D,
  from: Message,
  more: Readonly<Record<string, unknown>> = {},
): MessageShape<D> | undefined {
  const source: Readonly<Record<string, unknown>> = { ...from, ...more };
  const found = schema.fields.filter(({ localName }) => source[localName] !== undefined);
  if (schema.fields.some((field) => field.presence === REQUIRED && !found.includes(field))) return undefined;
  return Object.assign(create(schema), Object.fromEntries(found.map(({ localName }) => [localName, source[localName]])));
}
