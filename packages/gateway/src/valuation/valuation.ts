import { create, type Message } from '@bufbuild/protobuf';
import type { Access, ChangedOrder, ExchangeRates, GateDenial, KeyRecord, OpenedOrders, OrderFacts } from '@svc-gateway/access';
import { numberOfBrokerCode } from '@svc-gateway/contract/broker-codes';
import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { touchesOrders } from '@svc-gateway/contract/declaration-check';
import { currency as currencies } from '@svc-gateway/contract/enums';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { ModifyOrderOp, type Order, TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { C2S as ReconfirmC2S } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import type { Operation, ValuerName } from '@svc-gateway/contract/operation';
import { Rejection, type StandingTerms, type Told } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import type { AccountOrders } from '../orders/account-orders.js';
import { addsRisk } from '../orders/cancel-scope.js';
import { isCombo, nameOfOrder, namesOf, ofStandingTerms, termsOfLegs, termsOfOrder } from '../orders/order.js';
import { orderNamed } from '../orders/reads.js';
import { failure, following } from '../responses.js';
import { refuseUnknownAccount } from '../unknown-account.js';
import { type GateOf, securitiesOf, telling, toldBy } from '../visibility.js';
import { type BracketTerms, entryOf, exitSideOf, oppositeOf, refuseBracket, refuseEntryPrice, refuseExits } from './bracket-terms.js';
import { valueCombo, valueComboModify } from './combos.js';
import { type PositionRequest, valuePosition } from './position-orders.js';
import { isTrailing, mayHaveLimit } from './pricing.js';
import { type Change, type Valued, valueModify, valuePlace, worseOf } from './single-orders.js';

/** A place or a modify with its value. */
export interface ValuedOrder {
  readonly valued: Valued;
  /** The working order that a modify changes. */
  readonly order?: Order;
}

/** Result of a valuer: `no risk` where a request reduces risk or cannot add any; a failure where there is no such order. */
export type Valuation = ValuedOrder | 'no risk' | Rejection | ResponseMessage;

/** Where orders are looked up that a request changes. */
export interface Valuing {
  readonly backend: Backend;
  /** Terms of the active bracket with this entry order; undefined without one. */
  entryTerms(accId: bigint, order: Order): BracketTerms | undefined;
  readonly orders: Pick<AccountOrders, 'changes'>;
  /** Whether no gate of the caller looks at the terms that a change replaces; false by default. */
  readonly isUnweighed?: boolean;
}

type PossibleTerms = readonly [Order, ...Order[]];

/** The order that a change is of, by a fresh list and by what this daemon has changed: on each of the terms that it may have. */
async function orderToChange({ backend, orders }: Valuing, named: ModifyC2S, context: CallContext): Promise<PossibleTerms | undefined> {
  const order = await orderNamed(backend, named, context, !backend.listsCurrent);
  return order && orders.changes.possibleTerms(named.header?.accID ?? 0n, order);
}

/**
 * The order that a change is of by a list that may be behind, where that decides nothing: no gate looks at the terms that are replaced, and the change
 * says all of them. Servers bound how often a list may be asked for afresh.
 */
async function plainOrderToChange(
  { backend, orders, entryTerms, isUnweighed }: Valuing,
  named: ModifyC2S,
  context: CallContext,
): Promise<PossibleTerms | undefined> {
  if (backend.listsCurrent || isUnweighed !== true || !saysAllTerms(named)) return undefined;
  const order = await orderNamed(backend, named, context);
  const accId = named.header?.accID ?? 0n;
  if (order === undefined || !isPlain(order) || entryTerms(accId, order) !== undefined) return undefined;
  return orders.changes.possibleTerms(accId, order);
}

/** Whether a change says quantity and price. */
function saysAllTerms(modify: ModifyC2S): boolean {
  return modify.modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Normal && Object.hasOwn(modify, 'qty') && modify.price > 0;
}

/** Whether an order has a quantity and a price, and no other terms. */
function isPlain(order: Order): boolean {
  return !isCombo(order) && hasLimit(order.orderType) && order.auxPrice === 0 && !isTrailing(order.orderType);
}

/** Values a change by each of the terms that the order may have, and takes the worst. The first fill in what the request leaves out. */
async function valueChange(
  backend: Backend,
  modify: ModifyC2S,
  [order, ...others]: readonly [Order, ...Order[]],
  context: CallContext,
): Promise<Valued | Rejection> {
  const value = isCombo(order) ? valueComboModify : valueModify;
  let worst = await value(backend, modify, order, context);
  for (const other of others) {
    if (worst instanceof Rejection) return worst;
    const valued = await value(backend, modify, other, context);
    worst = valued instanceof Rejection ? valued : worseOf(worst, valued);
  }
  return worst;
}

type Valuer = (valuing: Valuing, operation: Operation, request: Message, context: CallContext) => Valuation | Promise<Valuation>;

/** Every valuer that a declaration can name: leaving one out does not build. */
const valuers: Readonly<Record<ValuerName, Valuer>> = {
  place({ backend }, _, request, context) {
    return following(valuePlace(backend, request as PlaceC2S, context), (valued) => (valued instanceof Rejection ? valued : { valued }));
  },
  async combo({ backend }, _, request, context) {
    const valued = await valueCombo(backend, request as ComboC2S, context);
    return valued instanceof Rejection ? valued : { valued };
  },
  async bracket({ backend }, _, request, context) {
    const bracket = request as BracketC2S;
    const refused = refuseBracket(bracket);
    if (refused !== undefined) return refused;
    const entry = entryOf(bracket);
    const valued = await valuePlace(backend, entry, context);
    if (valued instanceof Rejection) return valued;
    // The exits are of the valued security.
    Object.assign(bracket, { secMarket: entry.secMarket, code: entry.code });
    const { header, secMarket, code } = bracket;
    const exitSide = exitSideOf(bracket);
    if (header === undefined || exitSide === undefined) return { valued: { ...valued, reduces: false } };
    const [misplaced, opposite] = await Promise.all([
      refuseExits(backend, bracket, context),
      oppositeOf(backend, { header, exitSide, secMarket, code }, context),
    ]);
    return misplaced ?? { valued: { ...valued, reduces: false, ...opposite } };
  },
  relief: () => 'no risk',
  async reconfirm(valuing, operation, request, context) {
    const { backend } = valuing;
    const { header, orderID } = request as ReconfirmC2S;
    const enable = create(ModifyC2SSchema, {
      header,
      orderID,
      modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Enable,
    });
    const possible = await orderToChange(valuing, enable, context);
    if (possible === undefined) return noSuchOrder(backend, operation, enable, context);
    const [order] = possible;
    if (header !== undefined && order.trdMarket !== 0) header.trdMarket = order.trdMarket;
    const enabled = await valueChange(backend, enable, possible, context);
    const valued = enabled instanceof Rejection ? enabled : await asEntry(valuing, enabled, enable, order, context);
    return valued instanceof Rejection ? tellingOf(order, header, valued) : { valued, order };
  },
  async modify(valuing, operation, request, context) {
    const { backend } = valuing;
    const modify = request as ModifyC2S;
    if (!addsRisk(modify)) return 'no risk';
    const plain = await plainOrderToChange(valuing, modify, context);
    const possible = plain ?? (await orderToChange(valuing, modify, context));
    if (possible === undefined) return noSuchOrder(backend, operation, modify, context);
    const [order] = possible;
    const lacked = lackedByModify(modify, order);
    if (lacked !== undefined) return tellingOf(order, modify.header, lacked);
    const changed = await valueChange(backend, modify, possible, context);
    const valued = changed instanceof Rejection ? changed : await asEntry(valuing, changed, modify, order, context);
    if (valued instanceof Rejection) return tellingOf(order, modify.header, valued);
    // A halt that is taken meanwhile must not let it pass by an old list.
    return { valued: plain === undefined ? valued : { ...valued, reduces: false }, order };
  },
  async position({ backend }, operation, request, context) {
    const named = request as PositionRequest;
    const valued = await valuePosition(backend, operation, named, context);
    return valued instanceof Rejection ? noSuchPosition(backend, operation, named, valued, context) : { valued };
  },
};

/** A change of the entry of a bracket that makes it larger or brings it closer to the market is judged as the bracket was when it was placed. */
async function asEntry(
  { backend, entryTerms }: Valuing,
  valued: Valued,
  modify: ModifyC2S,
  order: Order,
  context: CallContext,
): Promise<Valued | Rejection> {
  if (valued.reduces === true) return valued;
  const terms = entryTerms(valued.accId, order);
  if (terms === undefined) return valued;
  const isPriced = modify.modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Normal && mayHaveLimit(order.orderType);
  const price = isPriced ? (decimalFromNumber(modify.price) ?? 0n) : 0n;
  const refused = price > 0n ? refuseEntryPrice(terms, price) : undefined;
  return refused ?? { ...valued, reduces: false, ...(await oppositeOf(backend, terms, context)) };
}

function tellingOf(order: Order, header: TrdHeader | undefined, rejection: Rejection): Rejection {
  const trading = header?.trdMarket ?? 0;
  return ofStandingTerms(telling(rejection, securitiesOf(order, trading)), termsOfOrder(order, trading));
}

/** Valuers of changes to an existing order or position, which the caller may not be allowed to see. */
const ofStanding: ReadonlySet<ValuerName | null> = new Set<ValuerName | null>(['modify', 'reconfirm', 'position']);

/** Whether an operation is about an existing order or position. */
export function isOfStanding({ valuer }: Operation): boolean {
  return ofStanding.has(valuer);
}

/** Values a write: what is sent and what is only looked at are valued here alike. An operation on orders without a valuer is a defect. */
export function valueOrder(valuing: Valuing, operation: Operation, request: Message, context: CallContext): Valuation | Promise<Valuation> {
  if (operation.valuer !== null) return valuers[operation.valuer](valuing, operation, request, context);
  if (touchesOrders(operation)) throw new Error(`${operation.name} may change orders and names no valuer of their risk: nothing was sent`);
  return 'no risk';
}

export function isValued(outcome: ValuedOrder | Rejection | ResponseMessage): outcome is ValuedOrder {
  return !(outcome instanceof Rejection) && 'valued' in outcome;
}

/** The refusal of a write about a position: that of its account, where there is no such real account. */
export async function noSuchPosition(
  backend: Backend,
  operation: Operation,
  { header }: PositionRequest,
  rejection: Rejection,
  context: CallContext,
): Promise<Rejection | ResponseMessage> {
  if (header?.trdEnv !== TrdEnv.TrdEnv_Real) return rejection;
  return (await refuseUnknownAccount(backend, operation, header, context)) ?? rejection;
}

/** The answer to a modify or cancel of an unknown order, or of one in an unknown account. */
export async function noSuchOrder(
  backend: Backend,
  operation: Operation,
  named: ModifyC2S,
  context: CallContext,
): Promise<ResponseMessage> {
  const message = `no order ${shown(nameOfOrder(named))} in account ${named.header?.accID}`;
  const unknown = failure(operation, message, numberOfBrokerCode('broker.unknown_order'));
  return (await refuseUnknownAccount(backend, operation, named.header, context)) ?? unknown;
}

/** The facts that a caller's gates look at, with the exchange rates that its limits need. */
export function factsOf(
  backend: Backend,
  access: Access,
  key: KeyRecord | undefined,
  { accId, legs, opens, laterSides, changes, reduces }: Valued,
  context: CallContext,
): OrderFacts | Promise<OrderFacts> {
  const knowing = (rates: ExchangeRates): OrderFacts => {
    const facts: { -readonly [Name in keyof OrderFacts]: OrderFacts[Name] } = { accId, legs, rates };
    if (opens !== undefined) facts.opens = openedBy(accId, opens);
    if (laterSides !== undefined) facts.laterSides = laterSides;
    if (changes !== undefined) facts.changes = changedBy(accId, changes);
    if (reduces !== undefined) facts.reduces = reduces;
    const { sending } = context;
    if (sending === undefined) return facts;
    facts.write = `${sending.packet.connId}/${sending.packet.serialNo}`;
    if (sending.firstSentMs !== undefined) facts.firstSentMs = sending.firstSentMs;
    return facts;
  };
  const targets = access.gates.limitsCurrencies(key);
  return targets.length === 0 ? knowing(noRates) : ratesTo(backend, targets, context).then(knowing);
}

function openedBy(accId: bigint, { env, market, count, orderId }: NonNullable<Valued['opens']>): OpenedOrders {
  return orderId === undefined ? { accId, env, market, count } : { accId, env, market, count, orderId };
}

function changedBy(accId: bigint, { order, grows, env, market }: Change): ChangedOrder {
  return { accId, env, market, names: namesOf(order), grows };
}

const noRates: ExchangeRates = () => undefined;

/** Rates from every currency, since those of the day's orders count as well. */
export async function ratesTo(backend: Backend, targets: readonly string[], context: CallContext): Promise<ExchangeRates> {
  const rates = new Map<string, Decimal>();
  const pairs = targets.flatMap((to) => currencies.members.filter(({ name }) => name !== to).map(({ name }) => [name, to] as const));
  await Promise.all(
    pairs.map(async ([from, to]) => {
      const rate = await backend.exchangeRate(from, to, context);
      if (rate !== undefined) rates.set(`${from}/${to}`, rate);
    }),
  );
  return (from, to) => rates.get(`${from}/${to}`);
}

export function rejectDenial({ code, reason, retryAfterSeconds }: GateDenial): Rejection {
  return new Rejection(code, reason, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
}

/** Returns the facts beyond the request that a gate's text and figures reveal; undefined: none. */
export function toldByGate(gate: GateOf, operation: Operation, facts: OrderFacts | undefined): Told | undefined {
  return toldBy(gate, isOfStanding(operation) ? facts?.legs : undefined);
}

/** A gate's refusal of an order, marked with what its text reveals. */
export function rejectOrder(denial: GateDenial, operation: Operation, facts: OrderFacts | undefined): Rejection {
  const about = toldByGate(denial, operation, facts);
  return about === undefined ? rejectDenial(denial) : telling(rejectDenial(denial), about);
}

/** Terms of the existing order or position that a write is about; undefined where it is about none. */
export function standingIn(operation: Operation, request: Message, { valued, order }: ValuedOrder): StandingTerms | undefined {
  if (!isOfStanding(operation)) return undefined;
  const { header } = request as Message & { header?: TrdHeader };
  return order === undefined ? termsOfLegs(valued.legs) : termsOfOrder(order, header?.trdMarket ?? 0);
}

/** Checks the fields that a modify needs for the type of its order: one with a limit needs its price. */
function lackedByModify(request: ModifyC2S, order: Order): Rejection | undefined {
  if (request.modifyOrderOp !== ModifyOrderOp.ModifyOrderOp_Normal) return undefined;
  if (!hasLimit(order.orderType) || Object.hasOwn(request, 'price')) return undefined;
  const message = `missing field "price": order ${shown(order.orderIDEx)} has a price, and a modify gives both the new quantity and the new price`;
  return new Rejection('request.missing_field', message, { field: 'price' });
}
