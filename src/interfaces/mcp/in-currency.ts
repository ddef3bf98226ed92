import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '../../contract/operation.js';

/** The payload with only those items of the operation's list that are in this currency (Trd_Common.Currency). */
export function inCurrency({ byCurrency }: Operation, payload: Message, currency: number): Message {
  if (byCurrency === null) return payload;
  const { field, currencyOf } = byCurrency;
  const items = (payload as Message & Record<string, Message[]>)[field] ?? [];
  return Object.assign(Object.create(Object.getPrototypeOf(payload)), payload, {
    [field]: items.filter((item) => currencyOf(item) === currency),
  });
}
