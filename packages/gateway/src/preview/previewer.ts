import { clone, create, type Message } from '@bufbuild/protobuf';
import { isUnknown, type KeyRecord, type OrderFacts } from '@svc-gateway/access';
import type { Decimal } from '@svc-gateway/contract/decimal';
import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as StaticInfoC2S } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { type Order, OrderSchema, type TrdHeader, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { C2S as ReconfirmC2S } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { Operation, ValuerName } from '@svc-gateway/contract/operation';
import { quote, trade } from '@svc-gateway/contract/operations';
import { invalidField, missingField, Rejection } from '@svc-gateway/contract/rejection';
import { securityOf } from '@svc-gateway/contract/security';
import { hasLimit } from '@svc-gateway/contract/unused-price';
import type { CallContext, ResponseMessage } from '../backend.js';
import type { GatewayBase } from '../gateway-base.js';
import { allowsTraded, limitsOf, type Traded } from '../market-names.js';
import type { AccountContext } from '../orders/account-context.js';
import type { CancelAll } from '../orders/cancel-all.js';
import { isCancel, isCancelAll } from '../orders/cancel-scope.js';
import { isCombo, isWorking } from '../orders/order.js';
import { orderNamed, workingOrders } from '../orders/reads.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { modifyOpName, orderTypeName, timeInForceName } from '../trade-names.js';
import { entryOf } from '../valuation/bracket-terms.js';
import {
  claimPosition,
  expectedOrders,
  hiddenOrders,
  type PositionRequest,
  typeOfOrders,
  valuedOrders,
} from '../valuation/position-orders.js';
import type { Valued } from '../valuation/single-orders.js';
import { factsOf, isValued, noSuchOrder, noSuchPosition, type ValuedOrder, type Valuing, valueOrder } from '../valuation/valuation.js';
import { mayReadAccounts, maySee, unidentified } from '../visibility.js';
import { brokerageDecision, judge } from './decisions.js';
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
import { addressOf, changeOf, exitsOf, expireTimeOf, given, noChange, termsOf, workingOrder } from './terms.js';
import { type ComboInput, changedWorthOf, comboWorthOf, worthOf } from './worth.js';

/** One write that is to be previewed. */
interface PreviewInput<R = Message> {
  readonly operation: Operation;
  readonly key: KeyRecord | undefined;
  readonly request: R;
  readonly header: TrdHeader;
  readonly context: CallContext;
}

/** A preview before the brokerage's word; a failure is what the write itself would be answered. */
type Outcome<P extends Preview = Preview> = Promise<Undecided<P> | ResponseMessage | Rejection>;

export interface PreviewerDeps extends GatewayBase {
  readonly accountContext: AccountContext;
  readonly cancelAll: CancelAll;
  /** Refuses one more bracket of a key where there is no room for it. */
  readonly refuseBracket: (keyId: string | null) => Rejection | undefined;
  readonly valuing: Valuing;
}

/** Cancels meet no gate: a caller can always get out. */
const ungated: Judged = { gates: [], refusals: [], undecidedBy: [] };

/** Says what writes would do. Reads from the backend; sends, reserves and counts nothing. */
export class Previewer {
  constructor(private readonly deps: PreviewerDeps) {}

  /** A failure is what the write itself would be answered: no such order, no such account. */
  async preview(
    operation: Operation,
    key: KeyRecord | undefined,
    request: Message,
    context: CallContext,
  ): Promise<Preview | ResponseMessage | Rejection> {
    const { header } = request as Message & { header?: TrdHeader };
    if (header === undefined) return missingField('header');
    if (operation.valuer === null) throw new Error(`${operation.name} has no preview`);
    const preview = await this.#byValuer[operation.valuer]({ operation, key, header, context, request });
    if (preview instanceof Rejection || 'retType' in preview) return preview;
    const isBracket = operation === trade.placeBracketOrder;
    // One that was sent before has its place.
    const full = isBracket && context.sending === undefined ? this.deps.refuseBracket(key?.id ?? null) : undefined;
    // A bracket is sent as its entry.
    const sent = isBracket ? { operation: trade.placeOrder, request: entryOf(request as BracketC2S) } : { operation, request };
    const brokerage = await brokerageDecision(this.deps, preview, { ...sent, key }, context);
    const refusals = [...preview.refusals, full, brokerage.refusal].filter((refusal) => refusal !== undefined);
    const [refusal = null] = refusals;
    const undecidedBy = [...preview.undecidedBy, ...brokerage.undecidedBy];
    const wouldPass = refusal !== null ? false : undecidedBy.length === 0 ? true : null;
    const { decided: brokerageDecided, note } = brokerage;
    return { ...preview, refusals, refusal, undecidedBy, wouldPass, brokerageDecided, note };
  }

  /** By valuer: leaving one out does not build. */
  readonly #byValuer: Readonly<Record<ValuerName, (asked: PreviewInput) => Outcome>> = {
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

  async #place(asked: PreviewInput<PlaceC2S>): Outcome<PlacePreview> {
    const outcome = await this.#valueRisk(asked);
    return isValued(outcome) ? this.#placed(asked, outcome.valued) : outcome;
  }

  async #placed(asked: PreviewInput<PlaceC2S>, valued: Valued): Promise<Undecided<PlacePreview>> {
    const { operation, key, request, header, context } = asked;
    const [leg] = valued.legs;
    const { symbol, side, qty } = leg;
    const { secMarket, code } = request;
    const seesAccount = this.#maySee(key, { trdMarket: header.trdMarket, secMarket, code }, header);
    return {
      kind: 'place',
      ...addressOf(operation, header),
      terms: { symbol, name: await this.#nameOf(symbol, context), side, qty, ...termsOf(request), exits: null },
      ...(await worthOf(this.deps.backend, request, leg, seesAccount, context)),
      ...(await this.#judge(asked, valued)),
    };
  }

  /** Valued by its entry: exits take away what that adds. */
  async #bracket(asked: PreviewInput<BracketC2S>): Outcome<PlacePreview> {
    const outcome = await this.#valueRisk(asked);
    if (!isValued(outcome)) return outcome;
    const entry = entryOf(asked.request);
    const preview = await this.#placed({ ...asked, operation: trade.placeOrder, request: entry }, outcome.valued);
    Object.assign(asked.request, { secMarket: entry.secMarket, code: entry.code });
    return { ...preview, operation: asked.operation.name, terms: { ...preview.terms, exits: exitsOf(asked.request) } };
  }

  async #combo(asked: PreviewInput<ComboC2S>): Outcome<ComboPreview> {
    const outcome = await this.#valueRisk(asked);
    if (!isValued(outcome)) return outcome;
    const { valued } = outcome;
    const { operation, key, request, header, context } = asked;
    const { comboLegs, orderType, timeInForce, qty, price } = request;
    const order = { header, comboLegs, orderType, timeInForce, qty, price, orderIDEx: '' };
    const seesAccount = this.#maySee(key, tradedAs(comboLegs, header.trdMarket), header);
    return {
      kind: 'combo',
      ...addressOf(operation, header),
      terms: {
        legs: (await this.#named(valued, context)).map(({ pricing = null, ...leg }) => ({ ...leg, pricing })),
        qty: given(request, 'qty') ?? 0n,
        price: hasLimit(orderType) ? given(request, 'price') : null,
        orderType: orderTypeName(orderType),
        timeInForce: timeInForceName(timeInForce),
        expireTime: expireTimeOf(request),
        remark: request.remark || null,
      },
      ...(await comboWorthOf(this.deps.backend, order, valued, seesAccount, context)),
      ...(await this.#judge(asked, valued)),
    };
  }

  async #modify(asked: PreviewInput<ModifyC2S>): Outcome<ModifyPreview> {
    const { operation, key, request, header, context } = asked;
    const op = modifyOpName(request.modifyOrderOp);
    if (op !== 'normal' && op !== 'enable' && op !== 'disable' && op !== 'delete') {
      return invalidField('modify_order_op', `unknown operation ${request.modifyOrderOp}`);
    }
    const asGiven = clone(ModifyC2SSchema, request);
    const outcome = await valueOrder(this.deps.valuing, operation, request, context);
    const base = { kind: 'modify', ...addressOf(operation, header), op } as const;
    // The working order, and the changes against it, are shown only to callers who may see it.
    const unseen = op === 'normal' ? changeOf(asGiven, noOrder) : noChange;
    if (this.#isHidden(key, outcome)) return { ...base, order: null, ...unseen, ...worthless };
    if (outcome !== 'no risk' && !isValued(outcome)) return outcome;
    const order = outcome === 'no risk' ? await orderNamed(this.deps.backend, request, context) : outcome.order;
    const unlisted = order === undefined ? await this.#refuseUnlisted(operation, request, context) : undefined;
    if (unlisted !== undefined) return unlisted;
    const sees = order !== undefined && this.#maySee(key, order, header);
    const changes = sees && op === 'normal' ? changeOf(request, order) : unseen;
    const isRisky = outcome !== 'no risk' && order !== undefined;
    const worth = isRisky ? await this.#changed(asked, order, sees, outcome.valued) : worthless;
    return { ...base, order: sees ? workingOrder(order) : null, ...changes, ...worth };
  }

  async #reconfirm(asked: PreviewInput<ReconfirmC2S>): Outcome<ModifyPreview> {
    const { operation, key, request, header } = asked;
    const outcome = await this.#valueRisk(asked);
    const base = { kind: 'modify', ...addressOf(operation, header), op: 'reconfirm', ...noChange } as const;
    if (this.#isHidden(key, outcome)) return { ...base, order: null, ...worthless };
    if (!isValued(outcome)) return outcome;
    const { valued, order } = outcome;
    if (order === undefined) throw new Error('what is let go is an order');
    const sees = this.#maySee(key, order, header);
    const asIs = create(ModifyC2SSchema, { header, orderID: request.orderID, qty: order.qty, price: order.price });
    const worth = await this.#changed({ ...asked, request: asIs }, order, sees, valued);
    return { ...base, order: sees ? workingOrder(order) : null, ...worth };
  }

  async #position(asked: PreviewInput<PositionRequest>): Outcome<PositionPreview> {
    const { operation, key, request, header, context } = asked;
    const base = { kind: 'position', ...addressOf(operation, header) } as const;
    const unseen = async () => ({ ...base, orders: null, ...(await this.#judge(asked, hiddenOrders(operation, header))) });
    const expected = await expectedOrders(this.deps.backend, operation, request, context);
    if (expected instanceof Rejection)
      return this.#isHidden(key, expected) ? unseen() : noSuchPosition(this.deps.backend, operation, request, expected, context);
    const valued = valuedOrders(operation, expected, header);
    if (valued instanceof Rejection) return this.#isHidden(key, valued) ? unseen() : valued;
    const judged = await this.#judge(asked, valued);
    const claim = await claimPosition(this.deps.accountContext, valued, header, context);
    const claimed = claim instanceof Rejection && !this.#isHidden(key, claim) ? [claim] : [];
    if (!(claim instanceof Rejection)) claim.settle(undefined);
    const sees = expected.every(({ code, secMarket }) => this.#maySee(key, { trdMarket: header.trdMarket, secMarket, code }, header));
    const orderType = orderTypeName(typeOfOrders(request));
    const orders = (await this.#named(valued, context)).map(({ symbol, name, side, qty }, i) => {
      return { role: expected[i]?.role ?? 'open', symbol, name, side, qty, orderType };
    });
    return { ...base, orders: sees ? orders : null, ...judged, refusals: [...judged.refusals, ...claimed] };
  }

  /** Values an order that always adds risk. */
  async #valueRisk({ operation, request, context }: PreviewInput): Promise<ValuedOrder | ResponseMessage | Rejection> {
    const outcome = await valueOrder(this.deps.valuing, operation, request, context);
    if (outcome === 'no risk') throw new Error(`${operation.name} always adds risk`);
    return outcome;
  }

  /** The legs of an order with the names of their securities. */
  #named({ legs }: Valued, context: CallContext) {
    return Promise.all(
      legs.map(async ({ symbol, side, qty, pricing }) => ({ symbol, name: await this.#nameOf(symbol, context), side, qty, pricing })),
    );
  }

  /** The worth of an order as a modify would leave it, and what the gates would say. */
  async #changed(asked: PreviewInput<ModifyC2S>, order: Order, sees: boolean, valued: Valued) {
    const { key, request, context } = asked;
    const { access, backend } = this.deps;
    const own = await factsOf(backend, access, key, valued, context);
    const judged = await this.#judgeFacts(asked, own, valued);
    if (!sees) return { ...noWorth, ...judged };
    const worth = isCombo(order)
      ? comboWorthOf(backend, changedCombo(request, order), valued, true, context)
      : changedWorthOf(backend, request, order, valued.legs[0], context);
    return { ...(await worth), increase: this.#increaseOf(key, own), ...judged };
  }

  /** Value that counts towards the caller's day: all of an order that it has not counted. */
  #increaseOf(key: KeyRecord | undefined, facts: OrderFacts): Decimal | null {
    let increase: Decimal | null = 0n;
    for (const { worth } of this.deps.access.gates.countedFor(key, facts).legs)
      increase = increase === null || isUnknown(worth) ? null : increase + worth.increase;
    return increase;
  }

  async #judge(asked: PreviewInput, valued: Valued): Promise<Judged> {
    const { access, backend } = this.deps;
    return this.#judgeFacts(asked, await factsOf(backend, access, asked.key, valued, asked.context), valued);
  }

  async #judgeFacts({ operation, key, header, context }: PreviewInput, own: OrderFacts, valued: Valued): Promise<Judged> {
    const { access, accountContext, clock } = this.deps;
    const { facts, claim, early } = await accountContext.complete(key, own, valued, header, context);
    claim?.settle(undefined);
    const judged = judge(access, operation, key, facts, clock.now());
    if (early === undefined || !maySee(access, key, facts.legs)) return judged;
    return { ...judged, refusals: [early, ...judged.refusals] };
  }

  async #cancel(asked: PreviewInput<ModifyC2S>): Outcome<CancelPreview> {
    const { operation, request, context } = asked;
    const order = await orderNamed(this.deps.backend, request, context);
    if (order !== undefined) return this.#cancelled(asked, isWorking(order) ? [order] : []);
    return (await this.#refuseUnlisted(operation, request, context)) ?? this.#cancelled(asked, []);
  }

  async #cancelAll(asked: PreviewInput<ModifyC2S>): Outcome<CancelPreview> {
    const { operation, request, header, key, context } = asked;
    const { backend, cancelAll } = this.deps;
    const orders = await workingOrders(backend, header, request.trdMarket, context);
    if ('retType' in orders) {
      const answer = await cancelAll.check(operation, request, key, context);
      if (answer instanceof Rejection || answer.retType !== RET_SUCCEED) return answer;
      return this.#cancelled(asked, undefined);
    }
    const stays = (await cancelAll.staying(request, key, context))();
    const ending = orders.filter((order) => !stays(order));
    return this.#cancelled(asked, ending);
  }

  /** @param orders what ends, as far as it is known. */
  #cancelled({ operation, key, request, header }: PreviewInput<ModifyC2S>, orders: readonly Order[] | undefined): Undecided<CancelPreview> {
    const base = { kind: 'cancel', ...addressOf(operation, header), op: 'cancel', all: request.forAll, ...ungated } as const;
    if (orders === undefined || !mayReadAccounts(this.deps.access, key)) return { ...base, count: null, orders: null };
    // A key with lists learns no number of orders that it may not see.
    const isCounted = !request.forAll || maySee(this.deps.access, key, unidentified);
    const seen = orders.filter((order) => this.#maySee(key, order, header)).slice(0, ORDERS_LISTED_MAX);
    return { ...base, count: isCounted ? orders.length : null, orders: seen.map(workingOrder) };
  }

  /** The answer to a change of an order that no list shows; undefined where the brokerage, which may know more orders than it lists, accepts it. */
  async #refuseUnlisted(operation: Operation, request: ModifyC2S, context: CallContext): Promise<ResponseMessage | undefined> {
    const { backend } = this.deps;
    if (backend.check === undefined) return noSuchOrder(backend, operation, request, context);
    const answer = await backend.check(operation, request, context);
    return answer?.retType === RET_SUCCEED ? undefined : answer;
  }

  /** True if a refusal describes hidden facts: the caller then does not learn of it at all. */
  #isHidden(key: KeyRecord | undefined, outcome: unknown): boolean {
    if (!(outcome instanceof Rejection)) return false;
    const { about } = outcome.details;
    return about !== undefined && !maySee(this.deps.access, key, about);
  }

  /**
   * Positions and orders of an account are for keys that may read it, the scope to trade alone does not show them, and for the securities that
   * a read of the account would show to this key.
   */
  #maySee(key: KeyRecord | undefined, traded: Traded, { trdMarket }: TrdHeader): boolean {
    const { access } = this.deps;
    return mayReadAccounts(access, key) && limitsOf(access, key).every((limits) => allowsTraded(limits, traded, trdMarket));
  }

  async #nameOf(symbol: string, context: CallContext): Promise<string | null> {
    const security = securityOf(symbol);
    if (security === undefined) return null;
    const response = await this.deps.backend.call(quote.getStaticInfo, create(StaticInfoC2S, { securityList: [security] }), context);
    return payloadOf(quote.getStaticInfo, response)?.staticInfoList[0]?.basic?.name || null;
  }
}

/** A combo order as a change would leave it. */
function changedCombo({ header = create(TrdHeaderSchema), qty, price }: ModifyC2S, order: Order): ComboInput {
  const { comboLegs, orderType, timeInForce, orderIDEx } = order;
  return { header, comboLegs, orderType, timeInForce, qty, price, orderIDEx };
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
