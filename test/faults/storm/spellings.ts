import { HK, SIMULATE } from '../../support/accounts.js';
import type { Changing, OrderTerms, Placing } from './writes.js';

/** Every way in which the interfaces let an order and a change be named. */

type Body = Record<string, unknown>;

const pick = <T>(choices: readonly T[], spelling: number): T => choices[spelling % choices.length] as T;
const priced = ({ price }: OrderTerms): Body => (price === undefined ? {} : { price });

/** Whether a change names its order by number: one of several legs has been told of by its text alone. */
const numbered = ({ orderId }: Changing['order'], spelling: number) => spelling % 2 === 0 && orderId !== '0';

const legs = ({ legs: codes = [], side }: OrderTerms): Body[] =>
  codes.map((code) => ({ security: { market: HK, code }, side, qty_ratio: 1 }));

/** `c2s` of an order of several legs, as REST and tools write it. */
export function comboPlacement({ name, terms }: Placing): Body {
  const { account, trdMarket, type, qty } = terms;
  const header = { trd_env: SIMULATE, acc_id: account, trd_market: trdMarket };
  return { header, combo_legs: legs(terms), qty, ...priced(terms), order_type: type, remark: name };
}

/** `/api/bracket-order`. */
export function restBracket({ name, terms, spelling }: Placing): Body {
  const { account, trdMarket, market, code, side, type, qty } = terms;
  const rest = { acc_id: account, env: SIMULATE, side, qty, ...priced(terms), order_type: type, ...exits(terms), remark: name };
  return spelling % 2 === 0 ? { ...rest, symbol: `${market}.${code}` } : { ...rest, market: trdMarket, code };
}

/** The arguments of `svc_place_bracket_order`. */
export function bracketTool({ name, keyed, terms }: Placing): Body {
  const { account, market, code, side, type, qty } = terms;
  const rest = { acc_id: account, env: 'simulate', symbol: `${market}.${code}`, side: sides[side], order_type: types[type], qty };
  return { ...rest, ...priced(terms), ...exits(terms), remark: name, ...(keyed ? { idempotency_key: name } : {}) };
}

const exits = ({ bracket }: OrderTerms): Body => ({ take_profit_price: bracket?.takeProfit, stop_loss_price: bracket?.stopLoss });

/** `/api/order`. */
export function restPlacement({ name, terms, spelling }: Placing): Body {
  const { account, trdMarket, market, code, side, type, qty, secMarket } = terms;
  const rest = { qty, ...priced(terms), order_type: type, remark: name };
  const header = { trd_env: SIMULATE, acc_id: account, trd_market: trdMarket };
  return pick(
    [
      { acc_id: account, env: SIMULATE, symbol: `${market}.${code}`, side, ...rest },
      { acc_id: account, trd_env: SIMULATE, market: trdMarket, code, side, ...rest },
      { acc_id: account, env: SIMULATE, trd_market: trdMarket, code, trd_side: side, sec_market: secMarket, ...rest },
      { header, trd_side: side, code, ...rest },
      { c2s: { header, trd_side: side, code, sec_market: secMarket, ...rest } },
      { c2s: { packet_id: { conn_id: 7, serial_no: 9 }, header, trd_side: side, code, ...rest } },
    ],
    spelling,
  );
}

/** The path and the body of a cancel or a modify. */
export function restChange({ kind, order, qty, spelling }: Changing): [string, Body] {
  const { account, trdMarket } = order.terms;
  const id = numbered(order, spelling) ? { order_id: order.orderId } : { order_id_ex: order.orderIdEx };
  const flat = { acc_id: account, env: SIMULATE, market: trdMarket, ...id };
  if (kind === 'cancel') {
    return ['/api/cancel-order', pick([flat, { ...flat, op: 2 }, { ...flat, env: 'simulate', market: 'HK', op: 'cancel' }], spelling >> 1)];
  }
  const header = { trd_env: SIMULATE, acc_id: account, trd_market: trdMarket };
  return ['/api/modify-order', { c2s: { header, ...id, modify_order_op: 1, qty, price: order.terms.price } }];
}

const sides = ['', 'BUY', 'SELL'];
const types = ['', 'NORMAL', 'MARKET'];
const markets = ['', 'HK', 'US', 'CN'];

/** The arguments of `svc_place_order`. */
export function toolPlacement({ name, keyed, terms, spelling }: Placing): Body {
  const { account, trdMarket, market, code, side, type, qty } = terms;
  const rest = { acc_id: account, env: 'simulate', qty, ...priced(terms), remark: name, ...(keyed ? { idempotency_key: name } : {}) };
  return pick(
    [
      { ...rest, symbol: `${market}.${code}`, side: sides[side], order_type: types[type] },
      { ...rest, market: markets[trdMarket], code, side: sides[side], order_type: types[type] },
      { ...rest, market: trdMarket, code, side, order_type: type, env: SIMULATE },
    ],
    spelling,
  );
}

/** The arguments of `svc_place_combo_order`. */
export function comboTool(write: Placing): Body {
  return { c2s_json: JSON.stringify(comboPlacement(write)), ...(write.keyed ? { idempotency_key: write.name } : {}) };
}

/** The tool and the arguments of a cancel or a modify. */
export function toolChange({ kind, name, keyed, order, qty, spelling }: Changing): [string, Body] {
  const { account, trdMarket, price } = order.terms;
  const id = numbered(order, spelling) ? { order_id: order.orderId } : { order_id_ex: order.orderIdEx };
  const common = { acc_id: account, env: 'simulate', market: markets[trdMarket], ...id, ...(keyed ? { idempotency_key: name } : {}) };
  if (kind === 'cancel') return ['svc_cancel_order', common];
  return ['svc_modify_order', { ...common, modify_order_op: 'normal', qty, price }];
}

interface ProtocolHeader {
  readonly trdEnv: number;
  readonly accID: string;
  readonly trdMarket: number;
}

const protocolHeader = ({ account, trdMarket }: OrderTerms): ProtocolHeader => ({ trdEnv: 0, accID: account, trdMarket });

/** `Trd_PlaceOrder.C2S`, without its packet id. */
export function protocolPlacement({ name, terms, spelling }: Placing): Body {
  const { code, side, type, qty, secMarket } = terms;
  const named = spelling % 2 === 0 ? { secMarket } : {};
  return { header: protocolHeader(terms), trdSide: side, orderType: type, code, qty, ...priced(terms), remark: name, ...named };
}

/** `Trd_PlaceComboOrder.C2S`, without its packet id. */
export function protocolCombo({ name, terms }: Placing): Body {
  const { legs: codes = [], side, type, qty } = terms;
  const comboLegs = codes.map((code) => ({ security: { market: HK, code }, side, qtyRatio: 1 }));
  return { header: protocolHeader(terms), comboLegs, qty, ...priced(terms), orderType: type, remark: name };
}

/** `svc.place_bracket_order.C2S`, without its packet id. */
export function protocolBracket({ name, terms }: Placing): Body {
  const { code, side, type, qty } = terms;
  return { header: protocolHeader(terms), trdSide: side, orderType: type, code, qty, ...priced(terms), ...exits(terms), remark: name };
}

/** `Trd_ModifyOrder.C2S`, without its packet id. */
export function protocolChange({ kind, order, qty, spelling }: Changing): Body {
  const id = numbered(order, spelling) ? { orderID: order.orderId } : { orderID: '0', orderIDEx: order.orderIdEx };
  const header = protocolHeader(order.terms);
  if (kind === 'cancel') return { header, ...id, modifyOrderOp: 2 };
  return { header, ...id, modifyOrderOp: 1, qty, price: order.terms.price };
}
