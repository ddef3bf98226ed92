import { clone, create, type Message } from '@bufbuild/protobuf';
import { type Access, isUnknown, type KeyRecord, type OrderFacts } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { type ComboLeg, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as StaticInfoC2S } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { type Order, OrderSchema, type TrdHeader, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import { type C2S as PlaceC2S, C2SSchema as PlaceC2SSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { C2S as ReconfirmC2S } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import { parseSymbol, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { Operation, ValuerName } from '@svc-gateway/contract/operation';
import { quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { allowsTraded, limitsOf, type Traded } from '../market-names.js';
import type { AccountContext } from '../orders/account-context.js';
import { entryOf } from '../orders/bracket-entry.js';
import type { CancelAll } from '../orders/cancel-all.js';
import { isCancel, isCancelAll } from '../orders/cancel-scope.js';
import { isCombo } from '../orders/combo-facts.js';
import type { Valued } from '../orders/order-facts.js';
import { isWorking, orderNamed, workingOrders } from '../orders/order-lookup.js';
import { claimPosition, expectedOrders, type PositionRequest, typeOfOrders, valuedOrders } from '../orders/position-orders.js';
import { factsOf, isValued, noSuchOrder, noSuchPosition, type Valuing, valueOrder } from '../orders/valuation.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { mayReadAccounts, maySee, unidentified } from '../sight.js';
import { modifyOpName, orderTypeName, timeInForceName } from '../trade-names.js';
import { addressOf } from './address.js';
import { brokerageDecision } from './brokerage.js';
import { comboWorthOf } from './combo-worth.js';
import { judge } from './gates.js';
import {
  type CancelPreview,
  type ComboPreview,
  type Judged,
  type ModifyPreview,
  ORDERS_LISTED_MAX,
  type PlacePreview,
  type PositionPreview,
  type Preview,
  type Undecided,
} from './preview.js';
import { changeOf, exitsOf, expireTimeOf, given, noChange, termsOf } from './terms.js';
import { workingOrder } from './working-order.js';
import { worthOf } from './worth.js';

/** One write that is to be previewed. */
interface PreviewInput<R> {
  readonly operation: Operation;
  readonly key: KeyRecord | undefined;
  readonly request: R;
  readonly header: TrdHeader;
  readonly context: CallContext;
}

/** Cancels meet no gate: a caller can always get out. */
const ungated: Judged = { gates: [], refusals: [], undecidedBy: [] };

/** Says what writes would do. Reads from the backend; sends, reserves and counts nothing. */
export class Previewer {
  constructor(
    private readonly backend: Backend,
    private readonly access: Access,
    private readonly accountContext: AccountContext,
    private readonly clock: Clock,
    private readonly cancelAll: CancelAll,
    /** Refuses one more bracket of a key where there is no room for it. */
    private readonly refuseBracket: (keyId: string | null) => Rejection | undefined,
    private readonly valuing: Valuing,
  ) {}

  /** A failure is what the write itself would be answered: no such order, no such account. */
  async preview(
    operation: Operation,
    key: KeyRecord | undefined,
    request: Message,
    context: CallContext,
  ): Promise<Preview | ResponseMessage | Rejection> {
    const { header } = request as Message & { header?: TrdHeader };
    if (header === undefined) return new Rejection('request.missing_field', 'missing field "header"', { field: 'header' });
    if (operation.valuer === null) throw new Error(`${operation.name} has no preview`);
    const preview = await this.#byValuer[operation.valuer]({ operation, key, header, context, request });
    if (preview instanceof Rejection || 'retType' in preview) return preview;
    const isBracket = operation === trade.placeBracketOrder;
    // One that was sent before has its place.
    const full = isBracket && context.sending === undefined ? this.refuseBracket(key?.id ?? null) : undefined;
    // A bracket is sent as its entry.
    const sent = isBracket ? { operation: trade.placeOrder, request: entryOf(request as BracketC2S) } : { operation, request };
    const brokerage = await brokerageDecision(this.backend, this.access, this.cancelAll, preview, { ...sent, key }, context);
    const refusals = [...preview.refusals, full, brokerage.refusal].filter((refusal) => refusal !== undefined);
    const [refusal = null] = refusals;
    const undecidedBy = [...preview.undecidedBy, ...brokerage.undecidedBy];
    const wouldPass = refusal !== null ? false : undecidedBy.length === 0 ? true : null;
    const { decided: brokerageDecided, note } = brokerage;
    return { ...preview, refusals, refusal, undecidedBy, wouldPass, brokerageDecided, note };
  }

  /** By valuer: leaving one out does not build. */
  readonly #byValuer: Readonly<Record<ValuerName, (asked: PreviewInput<Message>) => Promise<Undecided | ResponseMessage | Rejection>>> = {
    place: (asked) => this.#place(asked as PreviewInput<PlaceC2S>),
    combo: (asked) => this.#combo(asked as PreviewInput<ComboC2S>),
    bracket: (asked) => this.#bracket(asked as PreviewInput<BracketC2S>),
    relief: async ({ operation }) => new Rejection('request.invalid', `${operation.name} has no preview: it only takes risk away`),
    reconfirm: (asked) => this.#reconfirm(asked as PreviewInput<ReconfirmC2S>),
    position: (asked) => this.#position(asked as PreviewInput<PositionRequest>),
    modify: (asked) => {
      const change = asked as PreviewInput<ModifyC2S>;
      if (isCancelAll(change.operation, change.request)) return this.#cancelAll(change);
      return isCancel(change.request) ? this.#cancel(change) : this.#modify(change);
    },
  };

  async #place(asked: PreviewInput<PlaceC2S>): Promise<Undecided<PlacePreview> | ResponseMessage | Rejection> {
    const outcome = await valueOrder(this.valuing, asked.operation, asked.request, asked.context);
    if (outcome === 'no risk') throw new Error('a new order always adds risk');
    return isValued(outcome) ? this.#placed(asked, outcome.valued) : outcome;
  }

  async #placed({ operation, key, request, header, context }: PreviewInput<PlaceC2S>, valued: Valued): Promise<Undecided<PlacePreview>> {
    const { symbol, side, qty } = valued.legs[0];
    return {
      kind: 'place',
      ...addressOf(operation, header),
      terms: {
        symbol,
        name: await this.#nameOf(symbol, context),
        side,
        qty,
        ...termsOf(request),
        exits: null,
      },
      ...(await worthOf(
        this.backend,
        request,
        valued.legs[0],
        this.#maySee(key, { trdMarket: header.trdMarket, secMarket: request.secMarket, code: request.code }, header),
        context,
      )),
      ...(await this.#judge(operation, key, valued, header, context)),
    };
  }

  /** Valued by its entry: exits take away what that adds. */
  async #bracket(asked: PreviewInput<BracketC2S>): Promise<Undecided<PlacePreview> | ResponseMessage | Rejection> {
    const outcome = await valueOrder(this.valuing, asked.operation, asked.request, asked.context);
    if (outcome === 'no risk') throw new Error('a new order always adds risk');
    if (!isValued(outcome)) return outcome;
    const entry = entryOf(asked.request);
    const preview = await this.#placed({ ...asked, operation: trade.placeOrder, request: entry }, outcome.valued);
    Object.assign(asked.request, { secMarket: entry.secMarket, code: entry.code });
    return { ...preview, operation: asked.operation.name, terms: { ...preview.terms, exits: exitsOf(asked.request) } };
  }

  async #combo({
    operation,
    key,
    request,
    header,
    context,
  }: PreviewInput<ComboC2S>): Promise<Undecided<ComboPreview> | ResponseMessage | Rejection> {
    const outcome = await valueOrder(this.valuing, operation, request, context);
    if (outcome === 'no risk') throw new Error('a new order always adds risk');
    if (!isValued(outcome)) return outcome;
    const { valued } = outcome;
    const { comboLegs, orderType, timeInForce, qty, price } = request;
    const legs = await Promise.all(
      valued.legs.map(async ({ symbol, side, qty, pricing = null }) => ({
        symbol,
        name: await this.#nameOf(symbol, context),
        side,
        qty,
        pricing,
      })),
    );
    const asked = { header, comboLegs, orderType, timeInForce, qty, price, orderIDEx: '' };
    return {
      kind: 'combo',
      ...addressOf(operation, header),
      terms: {
        legs,
        qty: given(request, 'qty') ?? 0n,
        price: hasLimit(orderType) ? given(request, 'price') : null,
        orderType: orderTypeName(orderType),
        timeInForce: timeInForceName(timeInForce),
        expireTime: expireTimeOf(request),
      },
      ...(await comboWorthOf(this.backend, asked, valued, this.#maySeeLegs(key, comboLegs, header), context)),
      ...(await this.#judge(operation, key, valued, header, context)),
    };
  }

  /** As {@link #maySee}, of every leg of an order. */
  #maySeeLegs(key: KeyRecord | undefined, legs: readonly ComboLeg[], header: TrdHeader): boolean {
    return this.#maySee(key, tradedAs(legs, header.trdMarket), header);
  }

  async #modify({
    operation,
    key,
    request,
    header,
    context,
  }: PreviewInput<ModifyC2S>): Promise<Undecided<ModifyPreview> | ResponseMessage | Rejection> {
    const op = modifyOpName(request.modifyOrderOp);
    if (op !== 'normal' && op !== 'enable' && op !== 'disable' && op !== 'delete') {
      return new Rejection('request.invalid', `modify_order_op: unknown operation ${request.modifyOrderOp}`, { field: 'modify_order_op' });
    }
    const asGiven = clone(ModifyC2SSchema, request);
    const outcome = await valueOrder(this.valuing, operation, request, context);
    if (this.#isHidden(key, outcome)) {
      const change = op === 'normal' ? changeOf(asGiven, noOrder) : noChange;
      return { kind: 'modify', ...addressOf(operation, header), op, order: null, ...change, ...worthless };
    }
    if (outcome !== 'no risk' && !isValued(outcome)) return outcome;
    const order = outcome === 'no risk' ? await orderNamed(this.backend, request, context) : outcome.order;
    const unlisted = order === undefined ? await this.#refuseUnlisted(operation, request, context) : undefined;
    if (unlisted !== undefined) return unlisted;
    const maySee = order !== undefined && this.#maySee(key, order, header);
    return {
      kind: 'modify',
      ...addressOf(operation, header),
      op,
      order: maySee ? workingOrder(order) : null,
      // The working order, and the changes against it, are shown only to callers who may see it.
      ...(op === 'normal' ? (maySee ? changeOf(request, order) : changeOf(asGiven, noOrder)) : noChange),
      ...(outcome === 'no risk' || order === undefined
        ? worthless
        : await this.#changed({ operation, key, request, header, context }, order, maySee, outcome.valued)),
    };
  }

  async #reconfirm({
    operation,
    key,
    request,
    header,
    context,
  }: PreviewInput<ReconfirmC2S>): Promise<Undecided<ModifyPreview> | ResponseMessage | Rejection> {
    const outcome = await valueOrder(this.valuing, operation, request, context);
    if (outcome === 'no risk') throw new Error('an order that is let go adds risk');
    if (this.#isHidden(key, outcome))
      return { kind: 'modify', ...addressOf(operation, header), op: 'reconfirm', order: null, ...noChange, ...worthless };
    if (!isValued(outcome)) return outcome;
    const { valued, order } = outcome;
    if (order === undefined) throw new Error('what is let go is an order');
    const maySee = this.#maySee(key, order, header);
    const asIs = create(ModifyC2SSchema, { header, orderID: request.orderID, qty: order.qty, price: order.price });
    return {
      kind: 'modify',
      ...addressOf(operation, header),
      op: 'reconfirm',
      order: maySee ? workingOrder(order) : null,
      ...noChange,
      ...(await this.#changed({ operation, key, request: asIs, header, context }, order, maySee, valued)),
    };
  }

  async #position({
    operation,
    key,
    request,
    header,
    context,
  }: PreviewInput<PositionRequest>): Promise<Undecided<PositionPreview> | ResponseMessage | Rejection> {
    const unseen = { kind: 'position', ...addressOf(operation, header), orders: null, ...ungated } as const;
    const expected = await expectedOrders(this.backend, operation, request, context);
    if (expected instanceof Rejection)
      return this.#isHidden(key, expected) ? unseen : noSuchPosition(this.backend, operation, request, expected, context);
    const valued = valuedOrders(operation, expected, header);
    if (valued instanceof Rejection) return this.#isHidden(key, valued) ? unseen : valued;
    const judged = await this.#judge(operation, key, valued, header, context);
    const claim = await claimPosition(this.accountContext, valued, header, context);
    const claimed = claim instanceof Rejection && !this.#isHidden(key, claim) ? [claim] : [];
    if (!(claim instanceof Rejection)) claim.settle(undefined);
    const maySee = expected.every(({ code, secMarket }) => this.#maySee(key, { trdMarket: header.trdMarket, secMarket, code }, header));
    const orders = await Promise.all(
      valued.legs.map(async ({ symbol, side, qty }, i) => ({
        role: expected[i]?.role ?? 'open',
        symbol,
        name: await this.#nameOf(symbol, context),
        side,
        qty,
        orderType: orderTypeName(typeOfOrders(request)),
      })),
    );
    return {
      kind: 'position',
      ...addressOf(operation, header),
      orders: maySee ? orders : null,
      ...judged,
      refusals: [...judged.refusals, ...claimed],
    };
  }

  /** The worth of an order as a modify would leave it, and what the gates would say. */
  async #changed({ operation, key, request, header, context }: PreviewInput<ModifyC2S>, order: Order, maySee: boolean, valued: Valued) {
    const own = await factsOf(this.backend, this.access, key, valued, context);
    const judged = await this.#judgeFacts(operation, key, own, valued, header, context);
    if (!maySee) return { ...noWorth, ...judged };
    const worth = isCombo(order) ? this.#comboWorth(request, order, valued, context) : this.#worth(request, order, valued, context);
    return { ...(await worth), increase: this.#increaseOf(key, own), ...judged };
  }

  async #worth(request: ModifyC2S, order: Order, valued: Valued, context: CallContext) {
    const [leg] = valued.legs;
    const { pricing, qty } = leg;
    const changed = create(PlaceC2SSchema, {
      ...(request.header === undefined ? {} : { header: request.header }),
      trdSide: order.trdSide,
      orderType: order.orderType,
      code: order.code,
      secMarket: order.secMarket,
      qty: decimalToNumber(qty),
      ...(pricing === undefined ? {} : { price: decimalToNumber(pricing.tradable) }),
      adjustPrice: request.adjustPrice,
      adjustSideAndLimit: request.adjustSideAndLimit,
    });
    const replaced = { orderId: order.orderID, orderIdEx: order.orderIDEx };
    return {
      ...(await worthOf(this.backend, changed, leg, true, context, replaced)),
    };
  }

  async #comboWorth(request: ModifyC2S, order: Order, valued: Valued, context: CallContext) {
    const { comboLegs, orderType, timeInForce, orderIDEx } = order;
    const { header = create(TrdHeaderSchema), qty, price } = request;
    const asked = { header, comboLegs, orderType, timeInForce, qty, price, orderIDEx };
    return {
      ...(await comboWorthOf(this.backend, asked, valued, true, context)),
    };
  }

  /** Value that counts towards the caller's day: all of an order that it has not counted. */
  #increaseOf(key: KeyRecord | undefined, facts: OrderFacts): Decimal | null {
    let increase: Decimal | null = 0n;
    for (const { worth } of this.access.gates.countedFor(key, facts).legs)
      increase = increase === null || isUnknown(worth) ? null : increase + worth.increase;
    return increase;
  }

  async #judge(operation: Operation, key: KeyRecord | undefined, valued: Valued, header: TrdHeader, context: CallContext): Promise<Judged> {
    return this.#judgeFacts(operation, key, await factsOf(this.backend, this.access, key, valued, context), valued, header, context);
  }

  async #judgeFacts(
    operation: Operation,
    key: KeyRecord | undefined,
    own: OrderFacts,
    valued: Valued,
    header: TrdHeader,
    context: CallContext,
  ): Promise<Judged> {
    const { facts, claim, early } = await this.accountContext.complete(key, own, valued, header, context);
    claim?.settle(undefined);
    const judged = judge(this.access, operation, key, facts, this.clock.now());
    if (early === undefined || !maySee(this.access, key, facts.legs)) return judged;
    return { ...judged, refusals: [early, ...judged.refusals] };
  }

  async #cancel(asked: PreviewInput<ModifyC2S>): Promise<Undecided<CancelPreview> | ResponseMessage> {
    const { operation, request, context } = asked;
    const order = await orderNamed(this.backend, request, context);
    if (order !== undefined) return this.#cancelled(asked, isWorking(order) ? [order] : []);
    return (await this.#refuseUnlisted(operation, request, context)) ?? this.#cancelled(asked, []);
  }

  async #cancelAll(asked: PreviewInput<ModifyC2S>): Promise<Undecided<CancelPreview> | ResponseMessage | Rejection> {
    const { operation, request, header, key, context } = asked;
    const orders = await workingOrders(this.backend, header, request.trdMarket, context);
    if ('retType' in orders) {
      const answer = await this.cancelAll.check(operation, request, key, context);
      if (answer instanceof Rejection || answer.retType !== RET_SUCCEED) return answer;
      return this.#cancelled(asked, undefined);
    }
    const stays = (await this.cancelAll.staying(request, key, context))();
    return this.#cancelled(
      asked,
      orders.filter((order) => !stays(order)),
    );
  }

  /** @param orders what ends, as far as it is known. */
  #cancelled({ operation, key, request, header }: PreviewInput<ModifyC2S>, orders: readonly Order[] | undefined): Undecided<CancelPreview> {
    // A key with lists learns no number of orders that it may not see.
    const isCounted = !request.forAll || maySee(this.access, key, unidentified);
    const seen =
      orders !== undefined && this.#mayReadAccount(key)
        ? {
            count: isCounted ? orders.length : null,
            orders: orders
              .filter((order) => this.#maySee(key, order, header))
              .slice(0, ORDERS_LISTED_MAX)
              .map(workingOrder),
          }
        : { count: null, orders: null };
    return { kind: 'cancel', ...addressOf(operation, header), op: 'cancel', all: request.forAll, ...seen, ...ungated };
  }

  /** The answer to a change of an order that no list shows; undefined where the brokerage, which may know more orders than it lists, accepts it. */
  async #refuseUnlisted(operation: Operation, request: ModifyC2S, context: CallContext): Promise<ResponseMessage | undefined> {
    if (this.backend.check === undefined) return noSuchOrder(this.backend, operation, request, context);
    const answer = await this.backend.check(operation, request, context);
    return answer?.retType === RET_SUCCEED ? undefined : answer;
  }

  /** True if a refusal describes hidden facts: the caller then does not learn of it at all. */
  #isHidden(key: KeyRecord | undefined, outcome: unknown): boolean {
    if (!(outcome instanceof Rejection)) return false;
    const { about } = outcome.details;
    return about !== undefined && !maySee(this.access, key, about);
  }

  /** Positions and orders of an account are for keys that may read it: the scope to trade alone does not show them. */
  #mayReadAccount(key: KeyRecord | undefined): boolean {
    return mayReadAccounts(this.access, key);
  }

  /** The same of one security, which a read of the account may leave out for this key. */
  #maySee(key: KeyRecord | undefined, traded: Traded, { trdMarket }: TrdHeader): boolean {
    return this.#mayReadAccount(key) && limitsOf(this.access, key).every((limits) => allowsTraded(limits, traded, trdMarket));
  }

  async #nameOf(symbol: string, context: CallContext): Promise<string | null> {
    const parsed = parseSymbol(symbol);
    if (parsed === undefined) return null;
    const security = create(SecuritySchema, { market: parsed.market.number, code: parsed.code });
    const response = await this.backend.call(quote.getStaticInfo, create(StaticInfoC2S, { securityList: [security] }), context);
    return payloadOf(quote.getStaticInfo, response)?.staticInfoList[0]?.basic?.name || null;
  }
}

/** An order of several legs as lists look at it. */
function tradedAs(comboLegs: readonly ComboLeg[], trdMarket: number): Traded {
  const { market = 0, code = '' } = comboLegs[0]?.security ?? {};
  return { trdMarket, secMarket: quoteMarketNumbered(market)?.secMarket ?? 0, code, comboLegs };
}

/** An order of which nothing is known: all that a request gives is a change. */
const noOrder = create(OrderSchema);
/** The worth of a change of an order that its caller may not see, or that only takes risk away. */
const noWorth = { value: null, currency: null, pricing: null, multiplier: null, fees: null, capacity: null, increase: null };
const worthless = { ...noWorth, ...ungated };
