import { create, type Message } from '@bufbuild/protobuf';
import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import { reconfirmReason as reconfirmReasons } from '@svc-gateway/contract/enums';
import { type PacketID, PacketIDSchema } from '@svc-gateway/contract/generated/Common_pb';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as StaticInfoC2S } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { ModifyOrderOp } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { C2SSchema as ReconfirmC2SSchema } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { quote, trade } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '../backend.js';
import { BackendFailure, BackendRefused, BackendUnsent } from '../backend-failures.js';
import { nameOfOrder, type OrderName, symbolOfOrder } from '../orders/order.js';
import { PacketIds } from '../orders/packet-ids.js';
import type { SentLeg } from '../orders/unsettled-trades.js';
import { RET_SUCCEED, successOf } from '../responses.js';
import { sideName } from '../trade-names.js';
import { remarkOf } from '../valuation/bracket-terms.js';
import type { BracketBook, Watched } from './book.js';
import { type Bracket, type Exit, exitOrder, headerOf, isActive, nameOf, newExit } from './bracket.js';
import { nextStep } from './decide.js';
import { alert, type BracketsDeps, contextOf, LOOK_MS, report } from './deps.js';
import type { BracketReads } from './reads.js';
import type { BracketReconciler } from './reconciler.js';

/** So often a brokerage refuses a stop order that it does not take; one refusal may be a bad moment of its. */
const STOP_REFUSALS = 2;

/** Takes the steps of brackets: places their exits and cancels them. */
export class Exits {
  readonly #packets = new PacketIds();

  constructor(
    private readonly deps: BracketsDeps,
    private readonly book: BracketBook,
    private readonly reads: BracketReads,
    private readonly reconciler: BracketReconciler,
  ) {}

  /** Takes steps until there is none to take; one at a time. */
  async advance(watched: Watched): Promise<void> {
    watched.again = true;
    if (watched.busy) return;
    watched.busy = true;
    try {
      while (watched.again && this.book.isWatched(watched)) {
        watched.again = false;
        await this.#step(watched);
      }
    } catch (error) {
      report(this.deps, error, watched.bracket.id);
    } finally {
      watched.busy = false;
    }
  }

  async #step(watched: Watched): Promise<void> {
    for (const order of await this.reconciler.recall(watched, () => this.advance(watched))) await this.#cancelSurplus(watched, order);
    if (!this.book.isWatched(watched)) return;
    // Persist the new state before acting on it.
    await this.book.keep(watched, watched.bracket);
    const { withdrawn, state, entryOver } = watched.bracket;
    if (withdrawn && state === 'open' && !entryOver && this.deps.backendClock.monotonic() >= watched.withdrawAt)
      await this.#cancelEntry(watched);
    if (watched.bracket.priceSince !== undefined && isActive(watched.bracket)) await this.reconciler.askPrice(watched);
    const { listsCurrent } = this.deps.backend;
    if (!listsCurrent) await this.reconciler.confirm(watched, () => this.advance(watched));
    const { bracket, last } = watched;
    const step = nextStep(bracket, last, listsCurrent ? undefined : watched.confirmed);
    if (!watched.exitsKnown && !(step.do === 'cancel' && bracket.ending)) return;
    if (step.do === 'end') {
      await this.book.keep(watched, { ...bracket, state: step.state });
      this.book.drop(watched);
      return;
    }
    const now = this.deps.backendClock.monotonic();
    if (step.do === 'cancel' && bracket.exit !== undefined && now >= watched.cancelAt) await this.#cancelExit(watched, bracket.exit);
    if (step.do === 'confirm' && bracket.exit !== undefined && now >= watched.retryAt) await this.#confirm(watched, bracket.exit);
    if (step.do === 'place' && bracket.priceSince === undefined && now >= watched.retryAt) {
      if (!(await this.reconciler.isThere(watched, step.qty)) || watched.bracket !== bracket) {
        watched.again = true;
        return;
      }
      const exits = bracket.exits + 1;
      const remark = remarkOf(bracket.id, exits);
      const { kind, reached, qty } = step;
      await this.#placeExit(watched, exits, newExit({ kind, reached, qty, remark }));
    }
  }

  async #placeExit(watched: Watched, exits: number, exit: Exit): Promise<void> {
    const { backend } = this.deps;
    const sending: Bracket = { ...watched.bracket, exits, exit };
    // Persist before sending: after a crash the exit is found by its remark.
    await this.book.keep(watched, sending).catch((error: unknown) => {
      // The exit was not sent, so it must not be searched for.
      if (watched.bracket.exit?.remark === exit.remark) watched.bracket = { ...watched.bracket, exit: undefined };
      throw error;
    });
    const order = exitOrder(sending, exit);
    order.packetID = this.#packetId();
    const trading = this.deps.orders.unanswered.trading(sending.accId, legsOf(sending, exit), false);
    let response: ResponseMessage;
    try {
      response = await backend.call(trade.placeOrder, order, contextOf(this.deps, sending.id));
      const acknowledged = successOf(trade.placeOrder, response);
      trading.ended(acknowledged === undefined ? [] : [acknowledged]);
    } catch (thrown) {
      trading.ended(thrown instanceof BackendUnsent || thrown instanceof BackendRefused ? [] : undefined);
      if (!(thrown instanceof BackendUnsent || thrown instanceof BackendRefused)) throw thrown;
      await this.#withoutExit(watched, exit, thrown.message);
      return;
    }
    const placed = successOf(trade.placeOrder, response);
    if (placed === undefined) {
      await this.#refused(watched, exit, response);
      return;
    }
    watched.stopRefusals = 0;
    this.#audit(sending, order, placed.orderIDEx, `bracket ${sending.id}: ${nameOf(exit)}`);
    // Its pushes may have come before its answer.
    const current = watched.bracket.exit;
    if (current?.remark === exit.remark)
      await this.book.keep(watched, { ...watched.bracket, note: '', exit: { ...current, idEx: placed.orderIDEx } });
    await this.reconciler.ask(watched);
    await this.reconciler.askPosition(watched);
    watched.again = true;
  }

  /**
   * The brokerage would not have an exit. One that breaks a lot is tried for whole ones: should those be refused too, it was for something else. A
   * stop order that it refuses again is none that it takes: the price is watched for it here.
   */
  async #refused(watched: Watched, exit: Exit, response: ResponseMessage): Promise<void> {
    const why = response.retMsg;
    if (watched.bracket.note !== refusedNote(exit, why)) {
      const reason = `refused: bracket ${watched.bracket.id}: ${refusedNote(exit, why)}`;
      this.#audit(watched.bracket, exitOrder(watched.bracket, exit), undefined, reason, refusalCode(response).code);
    }
    const lot = watched.bracket.lot === 0n ? await this.#brokenLot(watched.bracket, exit) : 0n;
    if (lot > 0n) return this.#withoutExit(watched, exit, why, { lot });
    const rests = exit.kind === 'stop' && !exit.reached && !watched.bracket.stopHeld;
    if (rests) watched.stopRefusals += 1;
    const isHeld = rests && watched.stopRefusals >= STOP_REFUSALS;
    await this.#withoutExit(watched, exit, why, isHeld ? { lot, stopHeld: true } : { lot });
  }

  /** The lot of which an exit is more than one and no multiple; 0 where there is no such. */
  async #brokenLot(bracket: Bracket, { qty }: Exit): Promise<Decimal> {
    const { secMarket, code } = bracket;
    const market = quoteMarketOfSecMarket(secMarket)?.number ?? 0;
    const query = create(StaticInfoC2S, { securityList: [create(SecuritySchema, { market, code })] });
    try {
      const answer = await this.reads.call(quote.getStaticInfo, query, bracket);
      const lotSize = answer?.staticInfoList[0]?.basic?.lotSize ?? 0;
      const lot = decimalFromNumber(lotSize) ?? 0n;
      return lot > 0n && qty > lot && qty % lot !== 0n ? lot : 0n;
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      return 0n;
    }
  }

  /** An exit did not get to the brokerage, or was refused there: nothing happened, and it is tried again, at once where that has shown what to try. */
  async #withoutExit(watched: Watched, exit: Exit, why: string, shown: Partial<Pick<Bracket, 'lot' | 'stopHeld'>> = {}): Promise<void> {
    if (watched.bracket.exit?.remark !== exit.remark) return;
    await this.book.note(watched, refusedNote(exit, why), { exit: undefined, ...shown });
    if (shown.stopHeld || (shown.lot ?? 0n) > 0n) watched.again = true;
    else watched.retryAt = this.deps.backendClock.monotonic() + LOOK_MS;
  }

  /**
   * An exit that the brokerage keeps back for its size or its price is confirmed: both are its bracket's, which was asked for. A brokerage says
   * in words alone which of the two it was.
   */
  async #confirm(watched: Watched, exit: Exit): Promise<void> {
    const { backend, backendClock } = this.deps;
    const { bracket } = watched;
    watched.retryAt = backendClock.monotonic() + LOOK_MS;
    let refusal = '';
    for (const { public: reconfirmReason } of reconfirmReasons.members) {
      const request = create(ReconfirmC2SSchema, {
        packetID: this.#packetId(),
        header: headerOf(bracket),
        orderID: exit.unconfirmed,
        reconfirmReason,
      });
      const response = await backend.call(trade.reconfirmOrder, request, contextOf(this.deps, bracket.id));
      if (response.retType === RET_SUCCEED) {
        this.#audit(bracket, request, exit.idEx, `bracket ${bracket.id}: ${nameOf(exit)} confirmed`);
        await this.reconciler.ask(watched);
        return;
      }
      refusal = response.retMsg;
    }
    await this.book.note(watched, `its ${nameOf(exit)} waits to be confirmed: ${refusal}`);
  }

  /** The entry of a bracket that was cancelled before it was known. Asked for again at every look until it is over: that cancels nothing twice. */
  async #cancelEntry(watched: Watched): Promise<void> {
    const { backendClock } = this.deps;
    const { bracket } = watched;
    watched.withdrawAt = backendClock.monotonic() + LOOK_MS;
    const { entryId, entryIdEx } = bracket;
    const { request, response } = await this.#cancelOrder(bracket, { orderID: entryIdEx === '' ? entryId : 0n, orderIDEx: entryIdEx });
    if (response.retType === RET_SUCCEED)
      this.#audit(bracket, request, entryIdEx || String(entryId), `bracket ${bracket.id}: entry cancelled`);
    await this.reconciler.ask(watched);
    if (response.retType === RET_SUCCEED || watched.bracket.entryOver) return;
    await this.book.note(watched, `its entry could not be cancelled: ${response.retMsg}`);
  }

  /** An exit that is in the market beside another of its bracket: both together may close more than there is. */
  async #cancelSurplus(watched: Watched, order: OrderName): Promise<void> {
    const { hub, logger } = this.deps;
    const { orderID, orderIDEx } = order;
    const name = nameOfOrder(order);
    const { bracket } = watched;
    const isFirst = !watched.surplus.has(name);
    watched.surplus.add(name);
    const { request, response } = await this.#cancelOrder(bracket, { orderID: orderIDEx === '' ? orderID : 0n, orderIDEx });
    const isDone = response.retType === RET_SUCCEED;
    if (isDone) this.#audit(bracket, request, name, `bracket ${bracket.id}: second exit cancelled`);
    if (!isFirst) return;
    const how = `had a second exit in the market, order ${name}, which ${isDone ? 'is cancelled' : `could not be cancelled: ${response.retMsg}`}`;
    logger.warn({ bracket: bracket.id }, how);
    alert(hub, bracket, how);
    await this.book.keep(watched, { ...watched.bracket, note: `it ${how}` });
  }

  async #cancelOrder(bracket: Bracket, name: OrderName): Promise<{ request: ModifyC2S; response: ResponseMessage }> {
    const request = create(ModifyC2SSchema, {
      packetID: this.#packetId(),
      header: headerOf(bracket),
      ...name,
      modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel,
    });
    const response = await this.deps.backend.call(trade.cancelOrder, request, contextOf(this.deps, bracket.id));
    return { request, response };
  }

  async #cancelExit(watched: Watched, exit: Exit): Promise<void> {
    await this.book.keep(watched, { ...watched.bracket, exit: { ...exit, cancelling: true } });
    const { bracket } = watched;
    const { request, response } = await this.#cancelOrder(bracket, { orderID: 0n, orderIDEx: exit.idEx });
    if (response.retType === RET_SUCCEED) this.#audit(bracket, request, exit.idEx, `bracket ${bracket.id}: exit cancelled`);
    // Refused, it is over already, or nothing has happened to it: its order says.
    await this.reconciler.ask(watched);
    const now = watched.bracket.exit;
    if (response.retType !== RET_SUCCEED && now?.idEx === exit.idEx && now.cancelling) {
      watched.cancelAt = this.deps.backendClock.monotonic() + LOOK_MS;
      await this.book.keep(watched, {
        ...watched.bracket,
        exit: { ...now, cancelling: false },
        note: `its exit could not be cancelled: ${response.retMsg}`,
      });
      return;
    }
    watched.again = true;
  }

  #packetId(): PacketID {
    const { connId, serialNo } = this.#packets.next();
    return create(PacketIDSchema, { connID: connId, serialNo });
  }

  /** @param code of the brokerage's refusal; undefined for what was done. */
  #audit(
    bracket: Bracket,
    request: Message & { qty?: number; price?: number },
    orderId: string | undefined,
    reason: string,
    code?: string,
  ): void {
    const [qty, price] = [request.qty, request.price].map((value) => (value ? decimalFromNumber(value) : undefined));
    const { id, accId, keyId, exitSide } = bracket;
    this.deps.access.audit.record({
      iface: 'daemon',
      endpoint: 'bracket',
      keyId,
      outcome: code === undefined ? 'trade' : 'reject',
      reason,
      code,
      requestId: `bracket-${id}`,
      trade: { accId, orderId, symbol: symbolOfOrder(bracket), side: sideName(exitSide), qty, price },
    });
  }
}

function refusedNote(exit: Exit, why: string): string {
  return `its ${nameOf(exit)} was refused: ${why}`;
}

/** The trade of an exit. */
function legsOf({ secMarket, code, exitSide }: Bracket, { qty }: Exit): readonly SentLeg[] {
  const side = sideName(exitSide);
  return side === undefined ? [] : [{ symbol: symbolOfOrder({ secMarket, code }), side, qty }];
}
