import type { Bracket } from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { HK_MARGIN } from './accounts.js';
import type { Desk } from './desk.js';
import { until } from './until.js';

/** Brackets over a desk: where they are placed, and what has become of them. */

/** svc.get_brackets.Bracket: state. */
export const [PLACING, OPEN, CLOSED, CANCELLED, UNCLEAR] = [1, 2, 3, 4, 5];

export const shares = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' };
export const futures = { acc_id: '281756478396547008', market: 'FUTURES', env: 'simulate' };
export const taking = { ...shares, side: 'BUY', symbol: 'HK.00700', qty: 100, order_type: 'MARKET' };
export const contract = { ...futures, symbol: 'HK.HSI2612', qty: 1, order_type: 'MARKET' };
type Place = typeof shares;

export interface Brackets {
  place(body: object): Promise<string>;
  bracketOf(of: Place, id: string): Promise<Bracket>;
  /** The bracket, once it is as it should be. */
  comesTo(of: Place, id: string, isSo: (bracket: Bracket) => boolean): Promise<Bracket>;
  /** The bracket, once it has an exit. */
  guarded(of: Place, id: string): Promise<Bracket>;
  exitsOf(of: Place, id: string): Promise<Order[]>;
  /** How many of a contract the account has, negative when short. */
  heldOf(of: Place, code: string): Promise<number>;
  lastOf(symbol: string): Promise<number>;
}

export function bracketsOver(desk: () => Desk): Brackets {
  const kit: Brackets = {
    place: async (body) => (await desk().payload(trade.placeBracketOrder, body)).bracketId,
    bracketOf: async (of, id) => (await desk().payload(trade.getBrackets, { ...of, bracket_id: id })).bracketList[0] as Bracket,
    comesTo: (of, id, isSo) =>
      until(async () => {
        desk().clock.advance(1_000);
        const bracket = await kit.bracketOf(of, id);
        return isSo(bracket) ? bracket : undefined;
      }, `bracket ${id}`),
    guarded: (of, id) => kit.comesTo(of, id, ({ exitOrderIdEx }) => exitOrderIdEx !== ''),
    async exitsOf(of, id) {
      const { orderList } = await desk().payload(account.getOrders, of);
      return orderList.filter(({ remark }) => remark.startsWith(`svc-bracket ${id}/`) && !remark.endsWith('/0'));
    },
    async heldOf(of, code) {
      const { positionList } = await desk().payload(account.getPositions, of);
      return positionList.find((one) => one.code === code)?.qty ?? 0;
    },
    lastOf: async (symbol) => (await desk().payload(quote.getQuote, { symbols: [symbol] })).basicQotList[0]?.curPrice ?? 0,
  };
  return kit;
}
