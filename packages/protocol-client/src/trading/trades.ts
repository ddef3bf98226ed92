import { create } from '@bufbuild/protobuf';
import { wholeAccountMarket } from '@svc-gateway/contract/account-market';
import type { TrdAcc } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type Order, type OrderFill, type TrdHeader, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { type BackendRefusalCode, BackendRefused } from '@svc-gateway/gateway/backend-failures';
import { readPush } from '../connection/bodies.js';
import type { PushFrame, RequestOptions, Upstream } from '../connection/upstream.js';
import { unmarked } from './remark-mark.js';

const ORDER_PUSH = 2208;
const FILL_PUSH = 2218;

/** The event of an order or fill push; undefined where the frame is none. */
export function tradePushOf(frame: PushFrame): TradePush | undefined {
  const messages = frame.protoId === ORDER_PUSH ? TrdUpdateOrder : frame.protoId === FILL_PUSH ? TrdUpdateOrderFill : undefined;
  if (messages === undefined) return undefined;
  const message = readPush<{ header?: TrdHeader; order?: Order; orderFill?: OrderFill }>(messages.ResponseSchema, frame);
  const header = message?.s2c.header;
  if (message === undefined || header === undefined) return undefined;
  const { order, orderFill } = message.s2c;
  // Unknown (0): the order or fill says its own.
  if (header.trdMarket === 0) header.trdMarket = (order ?? orderFill)?.trdMarket ?? 0;
  return { type: 'trade', protoId: frame.protoId, accId: header.accID, trdMarket: header.trdMarket, message };
}

/** How requests about an account begin; its first market stands for all of them. */
function headerOf(of: TrdAcc): TrdHeader {
  const { accID, trdEnv, jpAccType } = of;
  const [type] = jpAccType;
  return create(TrdHeaderSchema, { accID, trdEnv, trdMarket: wholeAccountMarket(of), ...(type === undefined ? {} : { jpAccType: type }) });
}

/** Maximum accounts of one user, far above any real number. */
const ACCOUNTS_MAX = 1_000;

/** The server does not list the accounts of its user, or lists too many: it is of no use for trading. */
export class AccountsRefused extends BackendRefused {
  constructor(reason: string) {
    super('backend.failed', reason);
  }
}

/** The accounts of the user that the server is logged in as. Rejects with {@link AccountsRefused} where it does not list them. */
export async function readAccounts(upstream: Upstream, options: RequestOptions): Promise<readonly TrdAcc[]> {
  const asked = account.listAccounts;
  const c2s = create(asked.messages.C2SSchema, { userID: 0n, needGeneralSecAccount: true });
  const answer = await unlessRefused(upstream.request(asked, c2s, options));
  const { s2c, retMsg } = answer as ResponseMessage & { s2c?: { accList: TrdAcc[] } };
  if ('refused' in answer || s2c === undefined) {
    throw new AccountsRefused(`the account list is refused: ${'refused' in answer ? answer.refused : retMsg}`);
  }
  const count = s2c.accList.length;
  if (count > ACCOUNTS_MAX) {
    throw new AccountsRefused(`the server lists ${count} accounts of one user; at most ${ACCOUNTS_MAX} are accepted`);
  }
  return s2c.accList;
}

/** Reason why a list of an account cannot be had, which another try changes nothing about. */
interface Refused {
  readonly refused: string;
}

/** Today's orders of an account from the server behind the server, or why it would not say. */
export async function readOrders(upstream: Upstream, of: TrdAcc, options: RequestOptions): Promise<readonly Order[] | Refused> {
  const orders = await readList<Order>(upstream, account.getOrders, 'orderList', of, options);
  return 'refused' in orders ? orders : orders.map(unmarked);
}

/** Today's fills of an account, likewise. */
export function readFills(upstream: Upstream, of: TrdAcc, options: RequestOptions): Promise<readonly OrderFill[] | Refused> {
  return readList<OrderFill>(upstream, account.getDeals, 'orderFillList', of, options);
}

/** Refusals that last; of the others, the next try may fare better. Servers have no fills of simulated accounts, for one. */
const lasting: ReadonlySet<BackendRefusalCode> = new Set(['backend.invalid', 'backend.forbidden', 'backend.unsupported']);

async function readList<T>(
  upstream: Upstream,
  asked: Operation,
  list: string,
  of: TrdAcc,
  options: RequestOptions,
): Promise<readonly T[] | Refused> {
  const c2s = create(asked.messages.C2SSchema, { header: headerOf(of), refreshCache: true } as Record<string, unknown>);
  const answer = await unlessRefused(upstream.request(asked, c2s, options));
  if ('refused' in answer) return answer;
  const { s2c, retMsg } = answer as ResponseMessage & { readonly s2c?: Readonly<Record<string, readonly T[]>> };
  return s2c?.[list] ?? { refused: retMsg };
}

/** An answer, or why there is none and will be none. */
async function unlessRefused(answer: Promise<ResponseMessage>): Promise<ResponseMessage | Refused> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof BackendRefused && lasting.has(thrown.code)) return { refused: thrown.message };
    throw thrown;
  }
}

/** The event of an order that was found later, in its present state. */
export function foundOrder(header: TrdHeader, found: Order): TradePush {
  return recoveredPush(header, { order: unmarked(found) });
}

/** The event of an order that works again after its end was pushed. */
export function returnedOrder(of: TrdAcc, order: Order): TradePush {
  return { ...recoveredPush(headerOf(of), { order }), returned: true };
}

/** Events of an account since `from` (epoch ms), oldest first, each order in its newest state. */
export function recoveredTrades(of: TrdAcc, orders: readonly Order[], fills: readonly OrderFill[], from: number): readonly TradePush[] {
  const header = headerOf(of);
  const timeOf = ({ updateTimestamp, createTimestamp }: Order | OrderFill) => updateTimestamp || createTimestamp;
  const found = [
    ...fills.map((orderFill) => ({ time: timeOf(orderFill), push: recoveredPush(header, { orderFill }) })),
    ...orders.map((order) => ({ time: timeOf(order), push: recoveredPush(header, { order }) })),
  ];
  // An event without a time may be new: the gateway drops it if it has pushed it already.
  const recent = found.filter(({ time }) => time === 0 || time >= from / 1000);
  // Stable: of one moment, a fill comes before the order that it has changed.
  return recent.sort((a, b) => a.time - b.time).map(({ push }) => push);
}

function recoveredPush(of: TrdHeader, found: { readonly order: Order } | { readonly orderFill: OrderFill }): TradePush {
  const isOrder = 'order' in found;
  const trdMarket = (isOrder ? found.order : found.orderFill).trdMarket || of.trdMarket;
  const header = { ...of, trdMarket };
  const message = isOrder
    ? create(TrdUpdateOrder.ResponseSchema, { retType: 0, s2c: { header, order: found.order } })
    : create(TrdUpdateOrderFill.ResponseSchema, { retType: 0, s2c: { header, orderFill: found.orderFill } });
  return { type: 'trade', protoId: isOrder ? ORDER_PUSH : FILL_PUSH, accId: of.accID, trdMarket, recovered: true, message };
}
