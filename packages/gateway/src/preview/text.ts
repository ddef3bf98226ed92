import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import { inMoney, type MoneyRounding } from '@svc-gateway/contract/money';
import type { Pricing } from '../orders/order-pricing.js';
import type {
  CancelPreview,
  Capacity,
  ComboPreview,
  ExitTerms,
  ModifyPreview,
  PlacePreview,
  PositionOrderTerms,
  PositionPreview,
  Preview,
  PreviewFees,
  PreviewGate,
  PreviewRefusal,
  TrailTerms,
  WorkingOrder,
} from './preview.js';
import { zoneOf } from './terms.js';

/** A value as JSON text. */
type Json = string;

/** A preview as JSON text. Amounts are exact numbers; `int64` says how account and order ids are written. */
export function previewText(preview: Preview, int64: Int64Format = 'number'): string {
  const id = (value: bigint): Json => (int64 === 'string' ? `"${value}"` : String(value));
  return object({
    preview: text(preview.kind),
    operation: text(preview.operation),
    acc_id: id(preview.accId),
    env: text(preview.env),
    market: text(preview.market),
    ...particulars(preview, id),
    gates: list(preview.gates, gate),
    would_pass: String(preview.wouldPass),
    brokerage_decided: String(preview.brokerageDecided),
    ...refusal(preview),
    ...given('note', preview.note, text),
  });
}

/** The refusal as its error would tell it, under the names of a preview. */
function refusal({ refusal, refusals, undecidedBy }: Preview): Record<string, Json> {
  if (refusal === null) return { reason: undecidedBy.length === 0 ? 'null' : text([...new Set(undecidedBy)].join('; ')) };
  return { ...reasonOf(refusal), ...(refusals.length > 1 ? { reasons: list(refusals, (each) => object(reasonOf(each))) } : {}) };
}

function reasonOf({ message, code, details: { retryAfterSeconds: wait } }: PreviewRefusal): Record<string, Json> {
  return { reason: text(message), code: text(code), ...(wait === undefined ? {} : { retry_after: String(wait) }) };
}

function particulars(preview: Preview, id: (value: bigint) => Json): Record<string, Json> {
  switch (preview.kind) {
    case 'place':
      return { ...terms(preview, id), ...worth(preview) };
    case 'combo':
      return { ...comboTerms(preview), ...worth(preview) };
    case 'modify':
      return { ...change(preview, id), ...worth(preview) };
    case 'cancel':
      return cancel(preview, id);
    case 'position':
      return ofPosition(preview);
    case 'repetition':
      return {};
  }
}

function terms({ terms }: PlacePreview, id: (value: bigint) => Json): Record<string, Json> {
  return {
    symbol: text(terms.symbol),
    name: orNull(terms.name, text),
    side: text(terms.side),
    order_type: text(terms.orderType),
    time_in_force: text(terms.timeInForce),
    qty: formatDecimal(terms.qty),
    price: orNull(terms.price, formatDecimal),
    trigger_price: orNull(terms.triggerPrice, formatDecimal),
    ...trail(terms.trail),
    ...given('adjust_side_and_limit', terms.adjustment, formatDecimal),
    ...expiry(terms.expireTime, terms.symbol),
    ...given('session', terms.session, text),
    ...(terms.fillsOutsideRth ? { fill_outside_rth: 'true' } : {}),
    ...given('amount', terms.amount, formatDecimal),
    ...given('position_id', terms.positionId, id),
    ...given('pred_side', terms.predictionSide, text),
    ...(terms.exits === null ? {} : exits(terms.exits)),
  };
}

/** The end of a GTD order, and the zone that it is in. */
function expiry(expireTime: string | null, symbol: string): Record<string, Json> {
  if (expireTime === null) return {};
  return { expire_time: text(expireTime), ...given('time_zone', zoneOf(symbol) ?? null, text) };
}

function trail(terms: TrailTerms | null): Record<string, Json> {
  if (terms === null) return {};
  return {
    trail_type: text(terms.type),
    trail_value: formatDecimal(terms.value),
    ...given('trail_spread', terms.spread, formatDecimal),
  };
}

function exits({ takeProfit, stopLoss, stopLossLimit }: ExitTerms): Record<string, Json> {
  return {
    take_profit_price: orNull(takeProfit, formatDecimal),
    stop_loss_price: orNull(stopLoss, formatDecimal),
    ...given('stop_loss_limit_price', stopLossLimit, formatDecimal),
  };
}

function comboTerms({ terms }: ComboPreview): Record<string, Json> {
  return {
    legs: list(terms.legs, ({ symbol, name, side, qty, pricing }) =>
      object({
        symbol: text(symbol),
        name: orNull(name, text),
        side: text(side),
        qty: formatDecimal(qty),
        valued_at: orNull(pricing, valuedAt),
      }),
    ),
    order_type: text(terms.orderType),
    time_in_force: text(terms.timeInForce),
    qty: formatDecimal(terms.qty),
    ...expiry(terms.expireTime, terms.legs[0]?.symbol ?? ''),
    price: orNull(terms.price, formatDecimal),
  };
}

function change(preview: ModifyPreview, id: (value: bigint) => Json): Record<string, Json> {
  const { op, order, newQty, newPrice, newTriggerPrice, newTrail, newAdjustment, increase } = preview;
  return {
    op: text(op),
    order: orNull(order, (one) => workingOrder(one, id)),
    new_qty: orNull(newQty, formatDecimal),
    new_price: orNull(newPrice, formatDecimal),
    ...given('new_trigger_price', newTriggerPrice, formatDecimal),
    ...given('new_trail', newTrail, (trailing) => object(trail(trailing))),
    ...given('adjust_side_and_limit', newAdjustment, formatDecimal),
    increase: orNull(increase, amountIn(preview.currency, 'up')),
  };
}

function cancel({ op, all, count, orders }: CancelPreview, id: (value: bigint) => Json): Record<string, Json> {
  return {
    op: text(op),
    all: String(all),
    count: orNull(count, String),
    orders: orNull(orders, (listed) => list(listed, (order) => workingOrder(order, id))),
  };
}

function ofPosition({ orders }: PositionPreview): Record<string, Json> {
  const order = ({ role, symbol, name, side, qty, orderType }: PositionOrderTerms): Json =>
    object({
      role: text(role),
      symbol: text(symbol),
      name: orNull(name, text),
      side: text(side),
      order_type: text(orderType),
      qty: formatDecimal(qty),
    });
  return { orders: orNull(orders, (listed) => list(listed, order)) };
}

function worth(preview: PlacePreview | ComboPreview | ModifyPreview): Record<string, Json> {
  const { value, currency, pricing, multiplier, capacity } = preview;
  return {
    value: orNull(value, amountIn(currency, 'up')),
    currency: orNull(currency, text),
    valued_at: orNull(pricing, valuedAt),
    multiplier: orNull(multiplier, formatDecimal),
    fees: orNull(preview.fees, fees),
    capacity: orNull(capacity, ({ maxQty, enough, message }: Capacity) =>
      object({ max_qty: orNull(maxQty, formatDecimal), enough: orNull(enough, String), message: orNull(message, text) }),
    ),
  };
}

function valuedAt({ basis, price }: Pricing): Json {
  return object({ basis: text(basis), price: formatDecimal(price) });
}

/** Writes amounts in a currency. */
function amountIn(currency: string | null | undefined, rounding: MoneyRounding): (amount: Decimal) => Json {
  return (amount) => formatDecimal(inMoney(amount, currency ?? '', rounding));
}

function fees({ currency, items, total }: PreviewFees): Json {
  const amountText = amountIn(currency, 'nearest');
  return object({
    currency: text(currency),
    items: list(items, ({ title, amount }) => object({ title: text(title), amount: amountText(amount) })),
    total: amountText(total),
  });
}

function gate({ gate, holder, passes, limit, after, currency }: PreviewGate): Json {
  return object({
    gate: text(gate),
    holder: text(holder),
    passes: String(passes),
    limit: orNull(limit, (value) => figure(value, formatDecimal)),
    after: orNull(after, (value) => figure(value, amountIn(currency, 'up'))),
    ...(currency === undefined ? {} : { currency: text(currency) }),
  });
}

/** A sum of money is a bigint, a number of orders a number. */
function figure(value: NonNullable<PreviewGate['limit']>, money: (amount: Decimal) => Json): Json {
  if (typeof value === 'bigint') return money(value);
  return typeof value === 'number' ? String(value) : text(value);
}

function workingOrder(order: WorkingOrder, id: (value: bigint) => Json): Json {
  return object({
    order_id: id(order.orderId),
    order_id_ex: text(order.orderIdEx),
    symbol: text(order.symbol),
    name: text(order.name),
    side: text(order.side),
    order_type: text(order.orderType),
    status: text(order.status),
    qty: formatDecimal(order.qty),
    filled_qty: formatDecimal(order.filledQty),
    remaining_qty: formatDecimal(order.remainingQty),
    price: orNull(order.price, formatDecimal),
    ...given('trigger_price', order.triggerPrice, formatDecimal),
    ...trail(order.trail),
  });
}

/** Writes a rarely present field; omits it when null. */
function given<T>(name: string, value: T | null, write: (value: T) => Json): Record<string, Json> {
  return value === null ? {} : { [name]: write(value) };
}

function object(fields: Record<string, Json>): Json {
  return `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}

function list<T>(values: readonly T[], write: (value: T) => Json): Json {
  return `[${values.map(write).join(',')}]`;
}

function text(value: string): Json {
  return JSON.stringify(value);
}

function orNull<T>(value: T | null, write: (value: T) => Json): Json {
  return value === null ? 'null' : write(value);
}
