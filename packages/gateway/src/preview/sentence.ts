import { DECIMAL_ONE, type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { type MoneyRounding, moneyText } from '@svc-gateway/contract/money';
import { Rejection } from '@svc-gateway/contract/rejection';
import type {
  CancelPreview,
  ComboPreview,
  ComboTerms,
  ExitTerms,
  ModifyPreview,
  OrderTerms,
  PlacePreview,
  PositionPreview,
  Preview,
  PreviewGate,
  TrailTerms,
  WorkingOrder,
} from './preview.js';
import { zoneOf } from './terms.js';

/**
 * A preview in a few plain sentences, for the person who has to confirm it: "Buy 100 HK.00700 (Tencent) at limit 512.5 HKD
 * in the simulated account 2817…0001: value 51,250 HKD, …". What is not known is said to be unknown.
 */
export function previewSentence(preview: Preview): string {
  switch (preview.kind) {
    case 'place':
      return sentences(`${placed(preview.terms, preview.currency)} ${accountInWords(preview)}: ${worth(preview)}`, ...objections(preview));
    case 'combo':
      return sentences(
        `${combined(preview.terms, preview.currency)} ${accountInWords(preview)}: ${worth(preview)}`,
        ...objections(preview),
      );
    case 'modify':
      return modified(preview);
    case 'cancel':
      return cancelled(preview);
    case 'position':
      return ofPosition(preview);
    case 'repetition':
      return sentences(`A repetition ${accountInWords(preview)}`, ...objections(preview));
  }
}

const verbs: Readonly<Record<string, string>> = { BUY: 'Buy', SELL: 'Sell', SELL_SHORT: 'Sell short', BUY_BACK: 'Buy back' };

function placed(terms: OrderTerms, currency: string | null): string {
  const { orderType, price, adjustment, amount, predictionSide, positionId } = terms;
  const parts = [
    `${action(terms)} ${at(orderType, price, currency)}`,
    ...(amount === null ? [] : [`for an amount of ${grouped(amount)}`]),
    ...(predictionSide === null ? [] : [`on the side ${plain(predictionSide)}`]),
    ...(positionId === null ? [] : [`to close position ${positionId}`]),
    ...(adjustment === null ? [] : [adjusted(adjustment)]),
    ...waiting(terms),
    ...lasting(terms, terms.symbol),
    ...(terms.session === null ? [] : [`in session ${plain(terms.session)}`]),
    ...(terms.fillsOutsideRth ? ['also outside regular hours'] : []),
    ...(terms.exits === null ? [] : [closing(terms.exits)]),
  ];
  return parts.join(', ');
}

/** "its limit may be moved up by at most 9 %". */
function adjusted(adjustment: Decimal): string {
  const [direction, part] = adjustment < 0n ? ['down', -adjustment] : ['up', adjustment];
  return `its limit may be moved ${direction} by at most ${grouped(part * 100n)} %`;
}

/** Trigger and trail of an order in words. */
function waiting({ triggerPrice, trail }: Pick<OrderTerms, 'triggerPrice' | 'trail'>): string[] {
  return [
    ...(triggerPrice === null ? [] : [`triggered at ${grouped(triggerPrice)}`]),
    ...(trail === null ? [] : [`trailing the best price by ${trailed(trail)}`]),
  ];
}

/** "5 %", "2.5 with its limit 0.1 from the trigger". */
function trailed({ type, value, spread }: TrailTerms): string {
  const distance = type === 'RATIO' ? `${grouped(value)} %` : grouped(value);
  return spread === null ? distance : `${distance} with its limit ${grouped(spread)} from the trigger`;
}

/** As the protocol has it: a text of any other form is the caller's own, and no person is to read that here. */
const EXPIRE_TIME = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/;

/** How long an order stays; of one for the day there is nothing to say. */
function lasting({ timeInForce, expireTime }: Pick<OrderTerms, 'timeInForce' | 'expireTime'>, symbol: string): string[] {
  if (timeInForce === 'DAY') return [];
  if (expireTime === null) return [plain(timeInForce)];
  const zone = zoneOf(symbol);
  const until = EXPIRE_TIME.test(expireTime) ? `${expireTime}${zone === undefined ? '' : ` (${zone})`}` : 'a time that cannot be read';
  return [`${plain(timeInForce)} until ${until}`];
}

/** "with a take-profit at 400 and a stop-loss at 300 (limit 299)". */
function closing({ takeProfit, stopLoss, stopLossLimit }: ExitTerms): string {
  const limit = stopLossLimit === null ? '' : ` (limit ${grouped(stopLossLimit)})`;
  const exits = [
    ...(takeProfit === null ? [] : [`a take-profit at ${grouped(takeProfit)}`]),
    ...(stopLoss === null ? [] : [`a stop-loss at ${grouped(stopLoss)}${limit}`]),
  ];
  return `with ${exits.join(' and ')}`;
}

/** "Buy 100 US.AAPL and sell short 100 US.MSFT together, at a net 20 USD for each of 100 units". */
function combined(terms: ComboTerms, currency: string | null): string {
  const { legs, qty, price, orderType } = terms;
  const actions = legs.map((leg, i) => (i === 0 ? action(leg) : decapitalised(action(leg))));
  const money =
    price === null ? '' : ` at a net ${grouped(price)}${currency === null ? '' : ` ${currency}`} for each of ${grouped(qty)} units`;
  const type = orderType === 'NORMAL' ? '' : `, as ${plain(orderType)} order`;
  return [`${actions.join(' and ')} together${money}${type}`, ...lasting(terms, legs[0]?.symbol ?? '')].join(', ');
}

function decapitalised(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

function action({ side, qty, symbol, name }: { side: string; qty: Decimal; symbol: string; name: string | null }): string {
  return `${verbs[side] ?? plain(side)} ${grouped(qty)} ${plain(symbol)}${name === null || name === '' ? '' : ` (${plain(name)})`}`;
}

function at(orderType: string, price: Decimal | null, currency: string | null): string {
  const money = price === null ? '' : `${grouped(price)}${currency === null ? '' : ` ${currency}`}`;
  if (orderType === 'NORMAL') return `at limit ${money}`;
  if (orderType === 'MARKET') return 'at market';
  return `as ${plain(orderType)} order${price === null ? '' : ` at ${money}`}`;
}

/** "in the REAL account 2817…5383". */
export function accountInWords({ env, accId }: Pick<Preview, 'env' | 'accId'>): string {
  return `in the ${env === 'real' ? 'REAL' : 'simulated'} account ${shortened(accId)}`;
}

/** "2817…0001": enough to tell accounts apart. */
function shortened(accId: bigint): string {
  const digits = String(accId);
  return digits.length <= 9 ? digits : `${digits.slice(0, 4)}…${digits.slice(-4)}`;
}

const basisTexts = {
  best_bid: 'best bid, above the limit',
  last_price: 'last price, above the limit',
  adjusted_limit_price: 'limit with its allowed adjustment',
  book_plus_5_percent: 'worst price of the book plus 5 %',
  trigger_plus_5_percent: 'trigger price plus 5 %',
  net_price: 'as much as the net price allows',
};

function worth(preview: PlacePreview | ComboPreview | ModifyPreview): string {
  const { value, currency, pricing, multiplier } = preview;
  const parts: string[] = [];
  if (value === null) {
    parts.push(
      `value unknown, since there is no ${pricing === null ? 'price on the side of the book that it would take' : 'known multiplier'}`,
    );
  } else {
    const amount = `${money(value, currency, 'up')} ${currency}`;
    const basis = pricing === null || pricing.basis === 'limit_price' ? '' : ` (${basisTexts[pricing.basis]})`;
    parts.push(`${basis === '' ? 'value' : 'value up to'} ${amount}${basis}`);
    if (multiplier !== null && multiplier !== DECIMAL_ONE) parts.push(`contract multiplier ${grouped(multiplier)}`);
  }
  if (preview.kind === 'modify' && preview.increase !== null)
    parts.push(`${money(preview.increase, currency, 'up')} of it new for the day`);
  parts.push(
    preview.fees === null
      ? 'fees unknown'
      : `fees about ${money(preview.fees.total, preview.fees.currency, 'nearest')} ${preview.fees.currency}`,
  );
  parts.push(...preview.gates.flatMap((gate) => dayTotal(gate, currency)));
  return parts.join(', ');
}

/** The currency is said where it is not the order's. */
function dayTotal({ gate, holder, limit, after, currency }: PreviewGate, own: string | null): string[] {
  if (gate !== 'daily_value' || typeof limit !== 'bigint') return [];
  const unit = currency === undefined || currency === own ? '' : ` ${currency}`;
  const whose = holder === 'flags' ? ' (all keys of the daemon together)' : '';
  const total = typeof after === 'bigint' ? money(after, currency ?? own, 'up') : 'unknown';
  return [`day total afterwards ${total} of ${money(limit, currency ?? own, 'down')}${unit}${whose}`];
}

/** Everything that speaks against it, by the gates and by the brokerage, and the note on it. */
function objections(preview: Preview): string[] {
  const said = preview.refusals.map(
    (refusal) => `${refusal instanceof Rejection ? 'It' : 'By the brokerage it'} would be refused: ${plain(refusal.message)}`,
  );
  const capacity = 'capacity' in preview ? preview.capacity : null;
  if (capacity?.enough === false && capacity.maxQty !== null) said.push(`The account can trade at most ${grouped(capacity.maxQty)}`);
  if (preview.note !== null) said.push(`Note: ${plain(preview.note)}`);
  return said;
}

const modifyVerbs = { normal: 'Change', disable: 'Disable', enable: 'Enable', delete: 'Delete', reconfirm: 'Confirm' } as const;

function modified(preview: ModifyPreview): string {
  const { op, order, currency } = preview;
  const which = order === null ? 'the order (its details need acc:read)' : orderNamed(order, currency);
  const what = op === 'normal' ? `: ${changes(preview).join(', ') || 'nothing changes'}` : '';
  const first = `${modifyVerbs[op]} ${which} ${accountInWords(preview)}${what}`;
  return sentences(preview.currency === null ? first : `${first}; ${worth(preview)}`, ...objections(preview));
}

/** "trigger 400 to 1": what the order has already is no change. */
function changes({ order, newQty, newPrice, newTriggerPrice, newTrail, newAdjustment }: ModifyPreview): string[] {
  return [
    ...changed('quantity', order?.qty, newQty),
    ...changed('price', order?.price, newPrice),
    ...changed('trigger', order?.triggerPrice, newTriggerPrice),
    ...(newTrail === null ? [] : [`trail ${order?.trail ? `${trailed(order.trail)} to` : 'to'} ${trailed(newTrail)}`]),
    ...(newAdjustment === null ? [] : [adjusted(newAdjustment)]),
  ];
}

function changed(name: string, before: Decimal | null | undefined, after: Decimal | null): string[] {
  if (after === null || after === before) return [];
  return [`${name} ${before === null || before === undefined ? 'to' : `${grouped(before)} to`} ${grouped(after)}`];
}

/** "Sell 2 HK.HSI2612 to close and buy 2 HK.HSI2703 to open, at market, as one group in the REAL account 2817…5391". */
function ofPosition(preview: PositionPreview): string {
  const { operation, orders } = preview;
  const denied = objections(preview);
  const verb = operation === 'roll_position' ? 'Roll' : 'Reverse';
  if (orders === null) return sentences(`${verb} a position ${accountInWords(preview)} (details need acc:read)`, ...denied);
  const each = orders.map((order, i) => `${i === 0 ? action(order) : decapitalised(action(order))} to ${order.role}`);
  const terms = orders[0]?.orderType === 'MARKET' ? 'at market' : 'at the last price';
  return sentences(
    `${each.join(' and ')}, ${terms}, as one group ${accountInWords(preview)}: value unknown, since what both orders trade at is not known beforehand, fees unknown`,
    ...denied,
  );
}

const ORDERS_NAMED_MAX = 5;

function cancelled(preview: CancelPreview): string {
  return sentences(cancels(preview), ...objections(preview));
}

function cancels(preview: CancelPreview): string {
  const { all, count, orders, market } = preview;
  if (orders === null) {
    const what = all ? `all working orders in market ${plain(market)}` : 'the order';
    return `Cancel ${what} ${accountInWords(preview)} (details need acc:read)`;
  }
  if (count === 0)
    return `Nothing would be cancelled ${accountInWords(preview)}: ${all ? `no order is working in market ${plain(market)}` : 'the order is not working any more'}`;
  const named = orders.slice(0, ORDERS_NAMED_MAX).map((order) => orderNamed(order, null));
  if (count === null) {
    const more = orders.length > named.length ? `; ${orders.length - named.length} more` : '';
    const shown = named.length === 0 ? '' : `: ${named.join('; ')}${more}; and any that this key may not see`;
    return `Cancel all working orders in market ${plain(market)} ${accountInWords(preview)}${shown}`;
  }
  if (named.length === 0)
    return `Cancel ${count === 1 ? 'one order' : `${count} orders`} ${accountInWords(preview)} that this key may not see`;
  if (count === 1) return `Cancel ${named.join()} ${accountInWords(preview)}`;
  const more = count > named.length ? `; and ${count - named.length} more` : '';
  return `Cancel ${count} orders ${accountInWords(preview)}: ${named.join('; ')}${more}`;
}

/** "order 2026… (Buy 100 HK.00700 at limit 512.5, 60 remaining)". */
function orderNamed(order: WorkingOrder, currency: string | null): string {
  const id = order.orderIdEx === '' ? String(order.orderId) : plain(order.orderIdEx);
  const remaining = order.filledQty === 0n ? '' : `, ${grouped(order.remainingQty)} remaining`;
  const terms = [at(order.orderType, order.price, currency), ...waiting(order)].join(', ');
  return `order ${id} (${action(order)} ${terms}${remaining})`;
}

function sentences(...texts: readonly string[]): string {
  return texts.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`)).join(' ');
}

/** "51,250", "0.5". */
function grouped(value: Decimal): string {
  return inGroups(formatDecimal(value));
}

function inGroups(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const digits = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/** "51,250", "86.20": an amount of money. */
function money(value: Decimal, currency: string | null, rounding: MoneyRounding): string {
  return inGroups(moneyText(value, currency ?? '', rounding));
}

const TEXT_MAX = 200;

/** A text of another's on one line: a code or a name cannot pass for a sentence of ours by a line break. */
function plain(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX)}…` : line;
}
