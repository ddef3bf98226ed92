import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import { inMoney, type MoneyRounding } from '@svc-gateway/contract/money';
import type { Pricing } from '../valuation/pricing.js';
import type {
  ComboPreview,
  ModifyPreview,
  PlacePreview,
  PositionOrderTerms,
  Preview,
  PreviewFees,
  PreviewGate,
  PreviewRefusal,
  TrailTerms,
  WorkingOrder,
} from './preview.js';
import { zoneOf } from './terms.js';

/** Text that is JSON already. */
class Raw {
  constructor(readonly json: string) {}
}

/** A value to be written as JSON: a bigint is an exact decimal; a field that is undefined is left out. */
type Value = string | number | boolean | null | Decimal | Raw | undefined | readonly Value[] | Fields;
interface Fields {
  readonly [name: string]: Value;
}

type WriteId = (value: bigint) => Raw;

/** A preview as JSON text. Amounts are exact numbers; `int64` says how account and order ids are written. */
export function previewText(preview: Preview, int64: Int64Format = 'number'): string {
  const id = (value: bigint) => new Raw(int64 === 'string' ? `"${value}"` : String(value));
  return jsonOf({
    preview: preview.kind,
    operation: preview.operation,
    acc_id: id(preview.accId),
    env: preview.env,
    market: preview.market,
    ...particulars(preview, id),
    gates: preview.gates.map(gate),
    would_pass: preview.wouldPass,
    brokerage_decided: preview.brokerageDecided,
    ...refusal(preview),
    note: preview.note ?? undefined,
  });
}

function jsonOf(value: Exclude<Value, undefined>): string {
  if (value instanceof Raw) return value.json;
  if (typeof value === 'bigint') return formatDecimal(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((each) => jsonOf(each ?? null)).join(',')}]`;
  const fields = Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [`${JSON.stringify(name)}:${jsonOf(each)}`]));
  return `{${fields.join(',')}}`;
}

function isList(value: readonly Value[] | Fields): value is readonly Value[] {
  return Array.isArray(value);
}

/** The refusal as its error would tell it, under the names of a preview. */
function refusal({ refusal, refusals, undecidedBy }: Preview): Fields {
  if (refusal === null) return { reason: undecidedBy.length === 0 ? null : [...new Set(undecidedBy)].join('; ') };
  return { ...reasonOf(refusal), reasons: refusals.length > 1 ? refusals.map(reasonOf) : undefined };
}

function reasonOf({ message, code, details: { retryAfterSeconds } }: PreviewRefusal): Fields {
  return { reason: message, code, retry_after: retryAfterSeconds };
}

function particulars(preview: Preview, id: WriteId): Fields {
  switch (preview.kind) {
    case 'place':
      return { ...terms(preview, id), ...worth(preview) };
    case 'combo':
      return { ...comboTerms(preview), ...worth(preview) };
    case 'modify':
      return { ...change(preview, id), ...worth(preview) };
    case 'cancel': {
      const { op, all, count, orders } = preview;
      return { op, all, count, orders: orders?.map((order) => workingOrder(order, id)) ?? null };
    }
    case 'position':
      return { orders: preview.orders?.map(positionOrder) ?? null };
    case 'repetition':
      return {};
  }
}

function terms({ terms }: PlacePreview, id: WriteId): Fields {
  const { exits, positionId } = terms;
  return {
    symbol: terms.symbol,
    name: terms.name,
    side: terms.side,
    order_type: terms.orderType,
    time_in_force: terms.timeInForce,
    qty: terms.qty,
    price: terms.price,
    trigger_price: terms.triggerPrice,
    ...trail(terms.trail),
    adjust_side_and_limit: terms.adjustment ?? undefined,
    ...expiry(terms.expireTime, terms.symbol),
    session: terms.session ?? undefined,
    fill_outside_rth: terms.fillsOutsideRth || undefined,
    amount: terms.amount ?? undefined,
    position_id: positionId === null ? undefined : id(positionId),
    pred_side: terms.predictionSide ?? undefined,
    remark: terms.remark ?? undefined,
    take_profit_price: exits?.takeProfit,
    stop_loss_price: exits?.stopLoss,
    stop_loss_limit_price: exits?.stopLossLimit ?? undefined,
  };
}

/** The end of a GTD order, and the zone that it is in. */
function expiry(expireTime: string | null, symbol: string): Fields {
  return expireTime === null ? {} : { expire_time: expireTime, time_zone: zoneOf(symbol) };
}

function trail(terms: TrailTerms | null): Fields {
  return terms === null ? {} : { trail_type: terms.type, trail_value: terms.value, trail_spread: terms.spread ?? undefined };
}

function comboTerms({ terms }: ComboPreview): Fields {
  return {
    legs: terms.legs.map(({ symbol, name, side, qty, pricing }) => ({ symbol, name, side, qty, valued_at: valuedAt(pricing) })),
    order_type: terms.orderType,
    time_in_force: terms.timeInForce,
    qty: terms.qty,
    ...expiry(terms.expireTime, terms.legs[0]?.symbol ?? ''),
    price: terms.price,
    remark: terms.remark ?? undefined,
  };
}

function change(preview: ModifyPreview, id: WriteId): Fields {
  const { op, order, newQty, newPrice, newTriggerPrice, newTrail, newAdjustment, increase } = preview;
  return {
    op,
    order: order && workingOrder(order, id),
    new_qty: newQty,
    new_price: newPrice,
    new_trigger_price: newTriggerPrice ?? undefined,
    new_trail: newTrail === null ? undefined : trail(newTrail),
    adjust_side_and_limit: newAdjustment ?? undefined,
    increase: amountIn(increase, preview.currency, 'up'),
  };
}

function positionOrder({ role, symbol, name, side, qty, orderType }: PositionOrderTerms): Fields {
  return { role, symbol, name, side, order_type: orderType, qty };
}

function worth({ value, currency, pricing, multiplier, capacity, fees }: PlacePreview | ComboPreview | ModifyPreview): Fields {
  return {
    value: amountIn(value, currency, 'up'),
    currency,
    valued_at: valuedAt(pricing),
    multiplier,
    fees: fees && feeFields(fees),
    capacity: capacity && { max_qty: capacity.maxQty, enough: capacity.enough, message: capacity.message },
  };
}

function valuedAt(pricing: Pricing | null): Fields | null {
  return pricing && { basis: pricing.basis, price: pricing.price };
}

/** An amount as it is written in a currency. */
function amountIn(amount: Decimal | null, currency: string | null | undefined, rounding: MoneyRounding): Decimal | null {
  return amount === null ? null : inMoney(amount, currency ?? '', rounding);
}

function feeFields({ currency, items, total }: PreviewFees): Fields {
  const amountOf = (amount: Decimal) => amountIn(amount, currency, 'nearest');
  return { currency, items: items.map(({ title, amount }) => ({ title, amount: amountOf(amount) })), total: amountOf(total) };
}

/** A sum of money is a bigint, a number of orders a number. */
function gate({ gate, holder, passes, limit, after, currency }: PreviewGate): Fields {
  return { gate, holder, passes, limit, after: typeof after === 'bigint' ? amountIn(after, currency, 'up') : after, currency };
}

function workingOrder(order: WorkingOrder, id: WriteId): Fields {
  return {
    order_id: id(order.orderId),
    order_id_ex: order.orderIdEx,
    symbol: order.symbol,
    name: order.name,
    side: order.side,
    order_type: order.orderType,
    status: order.status,
    qty: order.qty,
    filled_qty: order.filledQty,
    remaining_qty: order.remainingQty,
    price: order.price,
    trigger_price: order.triggerPrice ?? undefined,
    ...trail(order.trail),
    remark: order.remark ?? undefined,
  };
}
