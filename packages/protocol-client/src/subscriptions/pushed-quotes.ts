import { create, type Message } from '@bufbuild/protobuf';
import type { BasicQot } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as GetBasicQot from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import type { S2C as UpdateBasicQotS2C } from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';

/** The answer about one symbol is kept with its push: while nothing changes it is the same object, encoded once. */
const singles = new WeakMap<Message, ResponseMessage>();

/**
 * The answer of Qot_GetBasicQot from the newest push of each symbol, which is what the server would answer from. undefined where there
 * is none of one of them.
 */
export function pushedQuotes(
  { securityList }: GetBasicQot.C2S,
  newest: (symbol: string) => ResponseMessage | undefined,
): ResponseMessage | undefined {
  const quotes: BasicQot[] = [];
  let push: ResponseMessage | undefined;
  for (const security of securityList) {
    const symbol = symbolOf(security);
    push = symbol === undefined ? undefined : newest(symbol);
    const [quote] = (push as { s2c?: UpdateBasicQotS2C } | undefined)?.s2c?.basicQotList ?? [];
    if (quote === undefined) return undefined;
    quotes.push(quote);
  }
  if (push === undefined) return undefined;
  if (quotes.length > 1) return answer(quotes);
  return getOrInsert(singles, push, () => answer(quotes));
}

function answer(basicQotList: BasicQot[]): ResponseMessage {
  const s2c = create(GetBasicQot.S2CSchema);
  s2c.basicQotList = basicQotList;
  return create(GetBasicQot.ResponseSchema, { retType: 0, s2c });
}
