import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { create, type Message } from '@bufbuild/protobuf';
import type { Access } from '../../access/index.js';
import type { Clock } from '../../contract/clock.js';
import { type Decimal, decimalFromNumber, formatDecimal } from '../../contract/decimal.js';
import { subType } from '../../contract/enums.js';
import { type PacketID, PacketIDSchema } from '../../contract/generated/Common_pb.js';
import { SecuritySchema } from '../../contract/generated/Qot_Common_pb.js';
import { C2SSchema as QuoteC2S } from '../../contract/generated/Qot_GetBasicQot_pb.js';
import type { Response as QuoteUpdate } from '../../contract/generated/Qot_UpdateBasicQot_pb.js';
import { type C2S as BracketC2S, S2CSchema } from '../../contract/generated/svc/place_bracket_order_pb.js';
import {
  ModifyOrderOp,
  type Order,
  OrderStatus,
  type Position,
  PositionSide,
  TrdFilterConditionsSchema,
  TrdHeaderSchema,
} from '../../contract/generated/Trd_Common_pb.js';
import { C2SSchema as HistoryC2S } from '../../contract/generated/Trd_GetHistoryOrderList_pb.js';
import { C2SSchema as OrderListC2S } from '../../contract/generated/Trd_GetOrderList_pb.js';
import { C2SSchema as PositionsC2S } from '../../contract/generated/Trd_GetPositionList_pb.js';
import { C2SSchema as ModifyC2SSchema } from '../../contract/generated/Trd_ModifyOrder_pb.js';
import type { Response as OrderUpdate } from '../../contract/generated/Trd_UpdateOrder_pb.js';
import { quoteMarketOfSecMarket } from '../../contract/markets.js';
import type { PayloadOf } from '../../contract/operation.js';
import { account, quote, trade } from '../../contract/operations/index.js';
import { Rejection } from '../../contract/rejection.js';
import type { Store, Table } from '../../storage/index.js';
import {
  type Backend,
  BackendFailure,
  BackendRefused,
  BackendUnsent,
  type CallContext,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  type TradePush,
} from '../backend.js';
import { finalStatuses } from '../final-statuses.js';
import type { Logger } from '../logger.js';
import { entryOf } from '../orders/bracket-entry.js';
import { historySpan } from '../orders/order-history.js';
import { PacketIds } from '../orders/packet-ids.js';
import { type PushHub, streamKey } from '../push/index.js';
import { payloadOf, RET_SUCCEED, success } from '../responses.js';
import { sideName } from '../trade-names.js';
import { type Bracket, type Exit, exitBuys, exitOrder, isActive, nameOf, newBracket, unclosed } from './bracket.js';
import { afterExit, type ExitEnd, nextStep } from './decide.js';

/** Active at a time, of all keys. */
const ACTIVE_MAX = 1_000;
/** How long one that is over stays to be read, and how many do. */
const KEPT_MS = 86_400_000;
const KEPT_MAX = 1_000;
/** How often each is held against the brokerage's orders, beside what is pushed. */
const LOOK_MS = 5_000;
const CALL_MS = 20_000;
/** After the answer to an order was lost: so long it is looked for before nobody knows. */
const LOST_MS = 60_000;
/** How far the brokerage's clock may be behind. */
const SKEW_MS = 2_000;
const ORDER_PUSH = 2208;
const BASIC = subType.members.find(({ name }) => name === 'Basic')?.public ?? 0;

export interface BracketsParts {
  readonly backend: Backend;
  readonly access: Access;
  readonly store: Store;
  readonly hub: PushHub;
  readonly clock: Clock;
  readonly backendClock: Clock;
  /** The backend records a write in `store`, and so only after what is written there before. */
  readonly recordedInOrder: boolean;
  readonly logger: Logger;
  /** Whether orders may be sent: trading is on, and nothing is wrong with what this daemon remembers. */
  readonly mayTrade: boolean;
}

/** What is known of an active bracket beside its row. */
interface Watched {
  bracket: Bracket;
  /** 0 until one is known. */
  last: Decimal;
  busy: boolean;
  again: boolean;
  /** Its exit was refused: when another may be tried, of the monotonic clock. */
  retryAt: number;
  /** The account has been seen to hold what its exits are to close. */
  seenHeld: boolean;
  /** Since when less than that is there, of the monotonic clock. */
  lackingSince: number | undefined;
  /** Since when an order whose answer was lost is looked for, of the monotonic clock. */
  missingSince: number | undefined;
  readonly stop: () => void;
}

/**
 * Keeps brackets: entries with a take-profit and a stop-loss of which one ends the other. What it knows is on disk before an order leaves; after a
 * restart it goes on from there and from the brokerage's orders. An exit whose outcome is not known is looked for, and never sent again.
 */
export class Brackets {
  readonly #parts: BracketsParts;
  readonly #rows: Table<Bracket>;
  readonly #watched = new Map<string, Watched>();
  /** Those that are over, in the order of their end. */
  readonly #ended = new Set<string>();
  readonly #packets: PacketIds;
  #cancelLook: (() => void) | undefined;
  #stopped = false;

  constructor(parts: BracketsParts) {
    this.#parts = parts;
    this.#packets = new PacketIds(parts.recordedInOrder);
    this.#rows = parts.store.table<Bracket>('brackets');
    // Rows of before had no `gone`.
    const rows = [...this.#rows.entries()]
      .map(([, bracket]) => ({ ...bracket, gone: bracket.gone ?? 0n }))
      .sort((a, b) => a.updatedAt - b.updatedAt);
    for (const bracket of rows) {
      if (!isActive(bracket)) this.#ended.add(bracket.id);
      else if (parts.mayTrade) this.#watch(bracket);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelLook?.();
    for (const { stop } of this.#watched.values()) stop();
    this.#watched.clear();
  }

  /** Those of an account in its environment, newest first. */
  of({ accId, trdEnv }: Pick<Bracket, 'accId' | 'trdEnv'>): readonly Bracket[] {
    const found: Bracket[] = [];
    for (const [id, row] of this.#rows.entries()) {
      const bracket = this.#watched.get(id)?.bracket ?? row;
      if (bracket.accId === accId && bracket.trdEnv === trdEnv) found.push(bracket);
    }
    return found.sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Whether anything of an account is guarded, or about to be. */
  guardsIn(accId: bigint): boolean {
    for (const { bracket } of this.#watched.values()) if (bracket.accId === accId) return true;
    return false;
  }

  /** Whether an order of an account is the exit of a bracket that goes on. */
  isExit(accId: bigint, { orderIDEx, remark }: Pick<Order, 'orderIDEx' | 'remark'>): boolean {
    for (const { bracket } of this.#watched.values()) {
      const { exit } = bracket;
      if (bracket.accId !== accId || exit === undefined || bracket.ending) continue;
      // By its own remark until its text is known.
      if (exit.idEx === '' ? exit.remark === remark : exit.idEx === orderIDEx) return true;
    }
    return false;
  }

  /** Ends the exits of a bracket; false where it has ended. */
  async cancel(id: string): Promise<boolean> {
    const watched = this.#watched.get(id);
    if (watched === undefined || watched.bracket.state === 'placing') return this.#forget(id);
    await this.#keep(watched, { ...watched.bracket, ending: true });
    await this.#advance(watched);
    return true;
  }

  /** One of which nothing is known is only not kept any more. */
  async #forget(id: string): Promise<boolean> {
    const row = this.#rows.get(id);
    if (row === undefined || row.state === 'closed' || row.state === 'cancelled') return false;
    const watched = this.#watched.get(id);
    const ended: Bracket = { ...row, state: 'cancelled', updatedAt: this.#parts.clock.now() };
    await this.#write(ended);
    this.#ended.add(id);
    if (watched !== undefined) this.#drop(watched);
    return true;
  }

  /**
   * Sends the entry. What is to guard it is on disk before that, and where the brokerage records it in the gateway's own store, in the same
   * change.
   */
  async place(
    request: BracketC2S,
    keyId: string | null,
    refused: () => Rejection | undefined,
    context: CallContext,
  ): Promise<ResponseMessage | Rejection> {
    const { backend, clock, recordedInOrder: recorded } = this.#parts;
    if (this.#watched.size >= ACTIVE_MAX) {
      return new Rejection('backend.busy', `the daemon keeps ${ACTIVE_MAX} brackets already, which is as many as it can`);
    }
    const id = randomBytes(9).toString('base64url');
    const entry = entryOf(request);
    if (entry.remark === '') entry.remark = `svc-bracket ${id}/0`;
    const placing = newBracket(id, keyId, request, entry.remark, clock.now());
    this.#prune();
    const { keepAnswer } = context;
    const answerOf = (placed: PlacedEntry) =>
      success(trade.placeBracketOrder, create(S2CSchema, { ...payloadFields(placed), bracketId: id }));
    if (!recorded) {
      await this.#write(placing);
      const halted = refused();
      if (halted !== undefined) {
        await this.#remove(id);
        return halted;
      }
    }
    const sent: CallContext = {
      requestId: context.requestId,
      deadline: context.deadline,
      get signal() {
        return context.signal;
      },
      keepAnswer: (answer, change) => {
        const placed = payloadOf(trade.placeOrder, answer);
        if (placed === undefined) return;
        change.put(this.#rows, id, { ...placing, state: 'open', entryIdEx: placed.orderIDEx });
        keepAnswer?.(answerOf(placed), change);
      },
    };
    let response: ResponseMessage;
    try {
      response = await backend.call(trade.placeOrder, entry, sent);
    } catch (thrown) {
      const harmless = thrown instanceof BackendUnsent || thrown instanceof BackendRefused;
      if (harmless && !recorded) await this.#remove(id);
      // Nobody knows: it is looked for among the orders.
      if (!harmless && !recorded) this.#watch(placing);
      throw thrown;
    }
    const placed = response.retType === RET_SUCCEED ? payloadOf(trade.placeOrder, response) : undefined;
    if (placed === undefined) {
      if (!recorded) await this.#remove(id);
      const { retType, retMsg, errCode } = response;
      return create(trade.placeBracketOrder.messages.ResponseSchema, { retType, retMsg, errCode }) as ResponseMessage;
    }
    const known = this.of(placing).find((one) => one.id !== id && one.entryIdEx === placed.orderIDEx);
    if (known !== undefined) {
      // The brokerage has answered a repetition: what it placed the first time is guarded already.
      await this.#remove(id);
      return success(trade.placeBracketOrder, create(S2CSchema, { ...payloadFields(placed), bracketId: known.id }));
    }
    const open: Bracket = { ...placing, state: 'open', entryIdEx: placed.orderIDEx };
    const watched = this.#watch(open);
    if (!recorded) await this.#keep(watched, open);
    void this.#look(watched);
    return answerOf(placed);
  }

  /** Hears of its orders and its price from now on. */
  #watch(bracket: Bracket): Watched {
    const { hub } = this.#parts;
    const owner = `bracket:${bracket.id}`;
    const stream = streamOf(bracket);
    const observer = (hear: (event: QuotePush | TradePush) => void) => ({ event: hear, lost: () => undefined });
    const watched: Watched = {
      bracket,
      last: 0n,
      busy: false,
      again: false,
      retryAt: 0,
      seenHeld: false,
      lackingSince: undefined,
      missingSince: undefined,
      stop: () => {
        for (const end of ends) end();
        void hub.subscriptions.unsubscribeAll(owner);
        void hub.accounts.unsubscribeAll(owner);
      },
    };
    const ends = [
      hub.observe(
        bracket.accId,
        observer((event) => this.#hearOrder(watched, event)),
      ),
      ...(stream === undefined
        ? []
        : [
            hub.observe(
              streamKey(stream),
              observer((event) => this.#hearPrice(watched, event)),
            ),
          ]),
    ];
    this.#watched.set(bracket.id, watched);
    this.#guard(hub.subscribeAccounts(owner, [bracket.accId]));
    if (stream !== undefined) this.#guard(hub.subscribe(owner, [stream], { push: true, first: true }));
    this.#lookLater();
    return watched;
  }

  /** What is not subscribed to now is asked for at the next look. */
  #guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#parts.logger.warn({ err: error }, 'a bracket could not subscribe; it asks instead'));
  }

  #hearPrice(watched: Watched, event: QuotePush | TradePush): void {
    const price = (event.message as unknown as QuoteUpdate).s2c?.basicQotList[0]?.curPrice ?? 0;
    const last = decimalFromNumber(price) ?? 0n;
    if (last === watched.last || last === 0n) return;
    watched.last = last;
    void this.#advance(watched);
  }

  #hearOrder(watched: Watched, event: QuotePush | TradePush): void {
    if (event.type !== 'trade' || event.protoId !== ORDER_PUSH) return;
    const order = (event.message as unknown as OrderUpdate).s2c?.order;
    if (order !== undefined && this.#learn(watched, [order])) void this.#advance(watched);
  }

  /** Takes what orders say into account; whether that was news. */
  #learn(watched: Watched, orders: readonly Order[]): boolean {
    const before = watched.bracket;
    let bracket = before;
    for (const order of orders) {
      const isVoid = order.orderStatus === OrderStatus.OrderStatus_FillCancelled;
      const filled = isVoid ? 0n : (decimalFromNumber(order.fillQty) ?? 0n);
      if (bracket.state === 'placing' && this.#mayBeEntry(bracket, order))
        bracket = { ...bracket, state: 'open', entryIdEx: order.orderIDEx };
      if (order.orderIDEx === bracket.entryIdEx && bracket.entryIdEx !== '') {
        const entryOver = bracket.entryOver || finalStatuses.has(order.orderStatus);
        // Pushes may overtake each other; only the exchange takes back what was filled.
        const entryFilled = isVoid || filled > bracket.entryFilled ? filled : bracket.entryFilled;
        if (entryFilled !== bracket.entryFilled || entryOver !== bracket.entryOver) bracket = { ...bracket, entryOver, entryFilled };
        continue;
      }
      const { exit } = bracket;
      if (exit === undefined || (exit.idEx === '' ? order.remark !== exit.remark : order.orderIDEx !== exit.idEx)) continue;
      bracket = this.#afterExitOrder({ ...bracket, exit: { ...exit, idEx: order.orderIDEx } }, order, filled, watched.last);
      const ended = bracket.exit === undefined && !exit.cancelling && order.orderStatus !== OrderStatus.OrderStatus_Filled_All;
      // Whoever would not have this one would not have another now; one that the gateway holds instead is none.
      if (ended && bracket.stopHeld === before.stopHeld) watched.retryAt = this.#parts.backendClock.monotonic() + LOOK_MS;
    }
    watched.bracket = bracket;
    return bracket !== before;
  }

  /** Whether an order may be the entry whose answer was lost. Its remark is the caller's, who may write the same beside every order. */
  #mayBeEntry(bracket: Bracket, order: Order): boolean {
    const { entryRemark, code, entryQty, createdAt } = bracket;
    if (order.remark !== entryRemark || order.code !== code || decimalFromNumber(order.qty) !== entryQty) return false;
    if (order.createTimestamp > 0 && order.createTimestamp * 1000 < createdAt - SKEW_MS) return false;
    return !this.of(bracket).some(({ id, entryIdEx }) => id !== bracket.id && entryIdEx === order.orderIDEx);
  }

  #afterExitOrder(bracket: Bracket, order: Order, told: Decimal, last: Decimal): Bracket {
    const { exit } = bracket;
    if (exit === undefined) return bracket;
    const isVoid = order.orderStatus === OrderStatus.OrderStatus_FillCancelled;
    const filled = isVoid || told > exit.filled ? told : exit.filled;
    if (finalStatuses.has(order.orderStatus) || order.orderStatus === OrderStatus.OrderStatus_Disabled) {
      return afterExit(bracket, exit, { filled, by: endOf(order, filled >= exit.qty), why: order.lastErrMsg }, last);
    }
    // Somebody may have changed it: then another replaces it.
    const qty = decimalFromNumber(order.qty) ?? exit.qty;
    return { ...bracket, exit: { ...exit, qty, filled } };
  }

  /** Takes steps until there is none to take; one at a time. */
  async #advance(watched: Watched): Promise<void> {
    watched.again = true;
    if (watched.busy) return;
    watched.busy = true;
    try {
      while (watched.again && !this.#stopped && this.#watched.get(watched.bracket.id) === watched) {
        watched.again = false;
        await this.#step(watched);
      }
    } catch (error) {
      this.#tell(error, watched.bracket.id);
    } finally {
      watched.busy = false;
    }
  }

  async #step(watched: Watched): Promise<void> {
    // What was learned is on disk before anything follows from it.
    await this.#keep(watched, watched.bracket);
    const { bracket, last } = watched;
    const step = nextStep(bracket, last);
    if (step.do === 'end') {
      await this.#keep(watched, { ...bracket, state: step.state });
      this.#drop(watched);
      return;
    }
    if (step.do === 'cancel' && bracket.exit !== undefined) await this.#cancelExit(watched, bracket.exit);
    if (step.do === 'place' && this.#parts.backendClock.monotonic() >= watched.retryAt) {
      const exits = bracket.exits + 1;
      const remark = `svc-bracket ${bracket.id}/${exits}`;
      const { kind, reached, qty } = step;
      await this.#placeExit(watched, exits, { kind, reached, qty, remark, idEx: '', filled: 0n, cancelling: false });
    }
  }

  async #placeExit(watched: Watched, exits: number, exit: Exit): Promise<void> {
    const { backend } = this.#parts;
    const sending: Bracket = { ...watched.bracket, exits, exit };
    // On disk before it leaves: after a crash it is looked for by its remark.
    await this.#keep(watched, sending).catch((error: unknown) => {
      // It has not left, and is not to be looked for.
      if (watched.bracket.exit?.remark === exit.remark) watched.bracket = { ...watched.bracket, exit: undefined };
      throw error;
    });
    const order = exitOrder(sending, exit);
    order.packetID = this.#packetId();
    let response: ResponseMessage;
    try {
      response = await backend.call(trade.placeOrder, order, this.#context(sending.id));
    } catch (thrown) {
      if (!(thrown instanceof BackendUnsent || thrown instanceof BackendRefused)) throw thrown;
      await this.#refused(watched, exit, thrown.message);
      return;
    }
    const placed = response.retType === RET_SUCCEED ? payloadOf(trade.placeOrder, response) : undefined;
    if (placed === undefined) {
      await this.#refused(watched, exit, response.retMsg);
      return;
    }
    this.#audit(sending, order, placed.orderIDEx, `bracket ${sending.id}: ${nameOf(exit)}`);
    // Its pushes may have come before its answer.
    const current = watched.bracket.exit;
    if (current?.remark === exit.remark && current.idEx === '')
      await this.#keep(watched, { ...watched.bracket, note: '', exit: { ...current, idEx: placed.orderIDEx } });
    await this.#ask(watched);
    await this.#askPosition(watched);
    watched.again = true;
  }

  /** The brokerage would not have an exit: nothing happened. A stop order that it does not take is watched for here. */
  async #refused(watched: Watched, exit: Exit, why: string): Promise<void> {
    const { logger, backendClock } = this.#parts;
    if (watched.bracket.exit?.remark !== exit.remark) return;
    const held = exit.kind === 'stop' && !exit.reached && !watched.bracket.stopHeld;
    const note = `its ${nameOf(exit)} was refused: ${why}`;
    if (note !== watched.bracket.note) logger.warn({ bracket: watched.bracket.id }, note);
    await this.#keep(watched, { ...watched.bracket, exit: undefined, note, stopHeld: watched.bracket.stopHeld || held });
    if (held) watched.again = true;
    else watched.retryAt = backendClock.monotonic() + LOOK_MS;
  }

  async #cancelExit(watched: Watched, exit: Exit): Promise<void> {
    const { backend } = this.#parts;
    await this.#keep(watched, { ...watched.bracket, exit: { ...exit, cancelling: true } });
    const { bracket } = watched;
    const request = create(ModifyC2SSchema, {
      packetID: this.#packetId(),
      header: headerOf(bracket),
      orderID: 0n,
      orderIDEx: exit.idEx,
      modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel,
    });
    const response = await backend.call(trade.cancelOrder, request, this.#context(bracket.id));
    if (response.retType === RET_SUCCEED) this.#audit(bracket, request, exit.idEx, `bracket ${bracket.id}: exit cancelled`);
    // Refused, it is over already, or nothing has happened to it: its order says.
    await this.#ask(watched);
    const now = watched.bracket.exit;
    if (response.retType !== RET_SUCCEED && now?.idEx === exit.idEx && now.cancelling) {
      await this.#keep(watched, {
        ...watched.bracket,
        exit: { ...now, cancelling: false },
        note: `its exit could not be cancelled: ${response.retMsg}`,
      });
      return;
    }
    watched.again = true;
  }

  #lookLater(): void {
    if (this.#cancelLook !== undefined || this.#stopped) return;
    this.#cancelLook = this.#parts.backendClock.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      for (const watched of [...this.#watched.values()]) void this.#look(watched);
      if (this.#watched.size > 0) this.#lookLater();
    });
  }

  /** Holds a bracket against the brokerage's orders and the price, and goes on from there. */
  async #look(watched: Watched): Promise<void> {
    if (watched.busy || this.#stopped) return;
    try {
      await this.#compare(watched);
    } catch (error) {
      this.#tell(error, watched.bracket.id);
    }
  }

  async #compare(watched: Watched): Promise<void> {
    const { backend } = this.#parts;
    const header = headerOf(watched.bracket);
    if (backend.readiness(account.getOrders, create(OrderListC2S, { header })) !== undefined) return;
    const { bracket: sought } = watched;
    const asked = await this.#ask(watched);
    await this.#askPosition(watched);
    await this.#askPrice(watched);
    if (!isMissing(watched.bracket)) watched.missingSince = undefined;
    else if (asked && isMissing(sought) && sought.exits === watched.bracket.exits && !watched.busy) {
      if (await this.#giveUp(watched)) return;
    }
    // A cancellation that was lost is asked for again: that cancels nothing twice.
    const current = watched.bracket.exit;
    if (current?.cancelling && current.idEx !== '' && !watched.busy)
      await this.#keep(watched, { ...watched.bracket, exit: { ...current, cancelling: false } });
    await this.#advance(watched);
  }

  /** Of an order that is not in the brokerage's list though it was sent; whether nothing more can be done for the bracket. */
  async #giveUp(watched: Watched): Promise<boolean> {
    const { backendClock, recordedInOrder, logger } = this.#parts;
    watched.missingSince ??= backendClock.monotonic();
    const isTime = backendClock.monotonic() - watched.missingSince > LOST_MS;
    if (!recordedInOrder && !isTime) return false;
    // It may have ended on an earlier day.
    await this.#askHistory(watched, { codeList: [watched.bracket.code] });
    const { bracket } = watched;
    if (!isMissing(bracket) || watched.busy) return false;
    if (recordedInOrder && bracket.exit !== undefined) {
      // What this brokerage records is there, or it never was.
      await this.#keep(watched, { ...bracket, exit: undefined });
      return false;
    }
    if (!isTime) return false;
    const note = `what became of its ${bracket.state === 'placing' ? 'entry' : 'exit'} is not known: check the orders and positions`;
    logger.error({ bracket: bracket.id }, note);
    await this.#keep(watched, { ...bracket, state: 'unclear', note });
    this.#drop(watched);
    return true;
  }

  /** Asks for the orders of a bracket; whether the brokerage has listed them. */
  async #ask(watched: Watched): Promise<boolean> {
    const { backend } = this.#parts;
    const { bracket } = watched;
    const ids = [bracket.entryOver ? '' : bracket.entryIdEx, bracket.exit?.idEx ?? ''].filter((id) => id !== '');
    const wholeList = isMissing(bracket);
    if (ids.length === 0 && !wholeList) return true;
    const header = headerOf(bracket);
    const filterConditions = create(TrdFilterConditionsSchema, wholeList ? {} : { orderIDExList: ids });
    const context = this.#context(bracket.id);
    const answer = await backend.call(
      account.getOrders,
      create(OrderListC2S, { header, filterConditions, refreshCache: wholeList }),
      context,
    );
    const orders = payloadOf(account.getOrders, answer)?.orderList ?? [];
    this.#learn(watched, orders);
    // What ended on an earlier day is in the history alone.
    const gone = ids.filter((id) => !orders.some(({ orderIDEx }) => orderIDEx === id));
    if (answer.retType !== RET_SUCCEED) return false;
    if (gone.length > 0) await this.#askHistory(watched, { orderIDExList: gone });
    return true;
  }

  async #askHistory(watched: Watched, of: { readonly codeList?: string[]; readonly orderIDExList?: string[] }): Promise<void> {
    const { backend, clock } = this.#parts;
    const { bracket } = watched;
    // A clock that was set back leaves its orders in days to come.
    const latest = Math.max(clock.now(), bracket.updatedAt);
    const filterConditions = create(TrdFilterConditionsSchema, { ...of, ...historySpan(latest) });
    const query = create(HistoryC2S, { header: headerOf(bracket), filterConditions });
    const history = await backend.call(account.getHistoryOrders, query, this.#context(bracket.id));
    this.#learn(watched, payloadOf(account.getHistoryOrders, history)?.orderList ?? []);
  }

  /**
   * Takes off what somebody else has closed of the position, as an exit for that would open the opposite one. A brokerage's list of positions
   * may lag behind its orders, or have the position under another code: it counts once it has had the position, and has lacked it for a while.
   */
  async #askPosition(watched: Watched): Promise<void> {
    const { backend, backendClock, recordedInOrder } = this.#parts;
    const { bracket } = watched;
    const open = unclosed(bracket);
    if (open <= 0n) return;
    const query = create(PositionsC2S, {
      header: headerOf(bracket),
      filterConditions: create(TrdFilterConditionsSchema, { codeList: [bracket.code] }),
    });
    const answer = await backend.call(account.getPositions, query, this.#context(bracket.id));
    const positions = payloadOf(account.getPositions, answer)?.positionList;
    if (answer.retType !== RET_SUCCEED || positions === undefined) return;
    const left = this.#leftBy(bracket, positions);
    if (left >= open) {
      watched.seenHeld = true;
      watched.lackingSince = undefined;
      return;
    }
    const now = backendClock.monotonic();
    watched.lackingSince ??= now;
    if (!watched.seenHeld || (!recordedInOrder && now - watched.lackingSince < LOOK_MS)) return;
    // It may have been an exit of its own.
    await this.#ask(watched);
    if (unclosed(watched.bracket) !== open) return;
    const gone = open - left;
    const note = `${formatDecimal(gone)} of its position were closed by somebody else`;
    this.#parts.logger.warn({ bracket: bracket.id }, note);
    await this.#keep(watched, { ...watched.bracket, gone: watched.bracket.gone + gone, note });
  }

  /** What is held of the position that a bracket's exits close, without what older brackets guard of it. */
  #leftBy(bracket: Bracket, positions: readonly Position[]): Decimal {
    const side = exitBuys(bracket) ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long;
    let left = 0n;
    for (const { code, secMarket, positionSide, qty } of positions) {
      if (code === bracket.code && secMarket === bracket.secMarket && positionSide === side) left += decimalFromNumber(Math.abs(qty)) ?? 0n;
    }
    for (const { bracket: other } of this.#watched.values()) {
      const before = other.createdAt < bracket.createdAt || (other.createdAt === bracket.createdAt && other.id < bracket.id);
      if (before && isOfSamePosition(bracket, other)) left -= unclosed(other);
    }
    return left > 0n ? left : 0n;
  }

  async #askPrice(watched: Watched): Promise<void> {
    const market = quoteMarketOfSecMarket(watched.bracket.secMarket);
    if (market === undefined) return;
    const security = create(SecuritySchema, { market: market.number, code: watched.bracket.code });
    const answer = await this.#parts.backend.call(
      quote.getQuote,
      create(QuoteC2S, { securityList: [security] }),
      this.#context(watched.bracket.id),
    );
    const last = decimalFromNumber(payloadOf(quote.getQuote, answer)?.basicQotList[0]?.curPrice ?? 0) ?? 0n;
    if (last > 0n) watched.last = last;
  }

  #packetId(): PacketID {
    const { connId, serialNo } = this.#packets.next();
    return create(PacketIDSchema, { connID: connId, serialNo });
  }

  /** Puts a bracket on disk, unless it is there as it is. */
  async #keep(watched: Watched, bracket: Bracket): Promise<void> {
    const kept = this.#rows.get(bracket.id);
    const next: Bracket = { ...bracket, updatedAt: Math.max(this.#parts.clock.now(), bracket.updatedAt) };
    watched.bracket = next;
    if (kept !== undefined && isSame(kept, next)) {
      watched.bracket = { ...next, updatedAt: kept.updatedAt };
      return;
    }
    await this.#write(next);
  }

  #write(bracket: Bracket): Promise<void> {
    return this.#parts.store.write((change) => change.put(this.#rows, bracket.id, bracket));
  }

  #remove(id: string): Promise<void> {
    return this.#parts.store.write((change) => change.remove(this.#rows, id));
  }

  #drop(watched: Watched): void {
    watched.stop();
    this.#watched.delete(watched.bracket.id);
    this.#ended.add(watched.bracket.id);
  }

  /** Forgets those that were over a day ago, or before many others. */
  #prune(): void {
    const before = this.#parts.clock.now() - KEPT_MS;
    for (const id of this.#ended) {
      if (this.#ended.size <= KEPT_MAX && (this.#rows.get(id)?.updatedAt ?? 0) >= before) return;
      this.#ended.delete(id);
      this.#remove(id).catch((error: unknown) => this.#tell(error, id));
    }
  }

  /** Of what nobody waits for: a brokerage that is away is asked again later. */
  #tell(error: unknown, bracket: string): void {
    if (!(error instanceof BackendFailure)) this.#parts.logger.error({ err: error, bracket }, 'a bracket could not go on');
  }

  #context(id: string): CallContext {
    return { requestId: `bracket-${id}`, deadline: this.#parts.backendClock.monotonic() + CALL_MS, signal: new AbortController().signal };
  }

  #audit(bracket: Bracket, request: Message & { qty?: number; price?: number }, orderId: string, reason: string): void {
    const market = quoteMarketOfSecMarket(bracket.secMarket);
    const side = sideName(bracket.exitSide);
    const [qty, price] = [request.qty, request.price].map((value) =>
      value === undefined || value === 0 ? undefined : decimalFromNumber(value),
    );
    this.#parts.access.audit.record({
      iface: 'daemon',
      endpoint: 'bracket',
      keyId: bracket.keyId,
      outcome: 'trade',
      reason,
      requestId: `bracket-${bracket.id}`,
      trade: {
        accId: bracket.accId,
        orderId,
        ...(market === undefined ? {} : { symbol: `${market.name}.${bracket.code}` }),
        ...(side === undefined ? {} : { side }),
        ...(qty === undefined ? {} : { qty }),
        ...(price === undefined ? {} : { price }),
      },
    });
  }
}

/** Whether it has an order of which only its own remark is known. */
function isMissing({ state, exit }: Bracket): boolean {
  return state === 'placing' || exit?.idEx === '';
}

function isOfSamePosition(a: Bracket, b: Bracket): boolean {
  return a.accId === b.accId && a.secMarket === b.secMarket && a.code === b.code && a.exitSide === b.exitSide;
}

type PlacedEntry = PayloadOf<typeof trade.placeOrder>;

function payloadFields({ header, orderID, orderIDEx }: PlacedEntry) {
  return { ...(header === undefined ? {} : { header }), orderID, orderIDEx };
}

/** The brokerage would not have it, or has taken its trades back. */
const failures: ReadonlySet<number> = new Set([
  OrderStatus.OrderStatus_SubmitFailed,
  OrderStatus.OrderStatus_Failed,
  OrderStatus.OrderStatus_FillCancelled,
]);

function endOf({ orderStatus }: Order, filled: boolean): ExitEnd['by'] {
  if (filled || orderStatus === OrderStatus.OrderStatus_Filled_All) return 'fills';
  return failures.has(orderStatus) ? 'failure' : 'cancel';
}

function headerOf({ accId, trdEnv, trdMarket }: Bracket) {
  return create(TrdHeaderSchema, { accID: accId, trdEnv, trdMarket });
}

function streamOf({ secMarket, code }: Bracket): QuoteStream | undefined {
  const market = quoteMarketOfSecMarket(secMarket);
  return market === undefined ? undefined : { symbol: `${market.name}.${code}`, subType: BASIC, rehabType: 0, extendedTime: false };
}

/** Whether two say the same of everything but when it was learned. */
function isSame(a: Bracket, b: Bracket): boolean {
  const said = (bracket: Bracket) => ({ ...bracket, exit: bracket.exit ?? null, updatedAt: 0 });
  return isDeepStrictEqual(said(a), said(b));
}
