import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { TrdAcc, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { ResponseSchema as SubAccPushResponse } from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { BackendFailure, BackendRefused } from '@svc-gateway/gateway/backend-failures';
import { LISTS_APART_MS, type OrderName } from '@svc-gateway/gateway/order';
import type { RequestOptions, Upstream } from '../connection/upstream.js';
import { EndedOrders } from './ended-orders.js';
import { Orders } from './orders.js';
import { hideMarks } from './remark-mark.js';
import { SellableQuantities } from './sellable-quantities.js';
import { SilentAccounts } from './silent-accounts.js';
import { AccountsRefused, readAccounts, readFills, readOrders, recoveredTrades, returnedOrder } from './trades.js';

export interface TradingOptions {
  readonly clock: Clock;
  /** Rate-limited requests. */
  readonly upstream: Upstream;
  /** Options of a request of the client itself. */
  readonly soon: () => RequestOptions;
  /** Identity of the connection over which trading is ready; undefined where it is not. */
  readonly connection: () => unknown;
  /** Resolves to true once trading is ready, to false at the deadline (of `Clock.monotonic`), or where it will never be ready. */
  readonly whenReady: (deadline: number) => Promise<boolean>;
  readonly onPush: (event: TradePush) => void;
  /** Called when the server, which listed its accounts, refuses to. */
  readonly onListRefused: (reason: string) => void;
  /** Called where an account's orders are acknowledged and not pushed. */
  readonly onSilent: (accId: bigint) => void;
  /** Called where the orders of an account cannot be read after an outage. */
  readonly onUnread: (details: object) => void;
  readonly onDefect: (error: unknown) => void;
}

/** Clocks of two machines differ, and pushes wait on their way: events this much older than a loss may have been lost. */
const SKEW_MS = 60_000;

/** Trading over one connection: writes, the accounts that are listed, their pushes, and the events of an outage. */
export class Trading {
  readonly orders: Orders;
  readonly #sellable: SellableQuantities;
  readonly #ended: EndedOrders;
  readonly #silent: SilentAccounts;
  /** Epoch ms of an account's last push, or of its registration. */
  readonly #heardAt = new Map<bigint, number>();
  #cancelReview: () => void = () => undefined;
  #accounts: readonly TrdAcc[] | undefined;
  #checking = false;
  /** Accounts whose pushes are wanted; other pushes are dropped. */
  #wanted: readonly bigint[] = [];
  /** Accounts that this connection's server has taken; undefined before. */
  #told: string | undefined;

  constructor(private readonly options: TradingOptions) {
    const { clock, upstream, whenReady, onPush } = options;
    this.#ended = new EndedOrders(clock);
    this.#silent = new SilentAccounts(clock, (accId) => void this.#registerAgain(accId).catch(unlessDefect).catch(options.onDefect));
    this.#sellable = new SellableQuantities(upstream, clock, (event) => {
      this.#ended.see(event);
      onPush(event);
    });
    this.orders = new Orders({
      clock,
      upstream,
      onFound: (order) => this.#sellable.push(order),
      whenTrading: whenReady,
    });
  }

  /** Accounts that the server listed last; undefined while it never did. */
  get accounts(): readonly TrdAcc[] | undefined {
    return this.#accounts;
  }

  /**
   * Checks that the server, which listed its accounts, still does; unless an answer is awaited or trading is not ready yet, which it
   * becomes with the list. It asks in the daemon's own words: a caller's list may be refused for what the caller asked.
   */
  checkList(): void {
    const { upstream, soon, connection, onListRefused, onDefect } = this.options;
    const asked = connection();
    if (this.#checking || asked === undefined) return;
    this.#checking = true;
    readAccounts(upstream, soon())
      .then((accounts) => {
        if (connection() === asked) this.#accounts = accounts;
      })
      .catch((thrown: unknown) => {
        if (!(thrown instanceof BackendFailure)) onDefect(thrown);
        // The connection's own watchdog judges timeouts and lost connections.
        else if (thrown instanceof AccountsRefused && connection() === asked) onListRefused(thrown.message);
      })
      .finally(() => {
        this.#checking = false;
      });
  }

  /** Passes on a caller's list of accounts, and checks the list where that was refused. */
  async noteList(answer: ResponseMessage | Promise<ResponseMessage>): Promise<ResponseMessage> {
    try {
      const response = await answer;
      if (response.retType !== 0) this.checkList();
      return response;
    } catch (thrown) {
      if (thrown instanceof BackendRefused) this.checkList();
      throw thrown;
    }
  }

  /** Forwards an order or a fill with its sellable quantity; false if its account is not subscribed. */
  push(event: TradePush): boolean {
    // Each push needs a read of positions: drop unwanted accounts first.
    if (!this.#wanted.includes(event.accId)) return false;
    this.#silent.see(event);
    this.#heardAt.set(event.accId, this.options.clock.now());
    this.#sellable.push({ ...event, message: hideMarks(event.message) });
    return true;
  }

  /** Takes the full list of accounts whose pushes are wanted. While the connection is away, it is kept for when it is back. */
  async subscribe(accIds: readonly bigint[], isConnected: boolean): Promise<ResponseMessage> {
    this.#wanted = accIds;
    return isConnected ? this.#tell() : taken();
  }

  /** `Backend.call` of what changes something. */
  async write(operation: Operation, request: Message, context: RequestOptions): Promise<ResponseMessage> {
    const sentAt = this.options.clock.monotonic();
    const answer = await this.orders.call(operation, request, context);
    const { header } = request as Message & { readonly header?: TrdHeader };
    const { s2c } = answer as ResponseMessage & { readonly s2c?: Partial<OrderName> };
    if (answer.retType === 0 && header !== undefined && s2c !== undefined && this.#wanted.includes(header.accID))
      this.#silent.expect(header.accID, { orderID: s2c.orderID ?? 0n, orderIDEx: s2c.orderIDEx ?? '' }, sentAt);
    return answer;
  }

  /** A connection was made: its server knows no account. */
  connected(): void {
    this.#told = undefined;
    this.#silent.clear();
  }

  /**
   * Restores trading on a new connection: the accounts, their pushes by `subscribeAgain`, and what happened since `since` (epoch ms), as
   * recovered. It stops once `isCurrent` is false.
   */
  async restore(since: number | undefined, isCurrent: () => boolean, subscribeAgain: () => Promise<void>): Promise<void> {
    const { upstream, soon } = this.options;
    // Everything else goes by the accounts.
    const accounts = await readAccounts(upstream, soon());
    this.#accounts = accounts;
    if (since === undefined) await Promise.all(accounts.map((of) => this.#noteEarlier(of)));
    if (!isCurrent()) return;
    await subscribeAgain();
    if (!isCurrent()) return;
    // Events before the server has the list are not pushed.
    await this.#tell();
    if (since === undefined) return;
    for (const of of accounts) if (this.#wanted.includes(of.accID) && isCurrent()) await this.#recover(of, since, isCurrent);
    await this.#sellable.idle();
    this.#cancelReview();
    this.#cancelReview = this.options.clock.after(LISTS_APART_MS, () => void this.#review(accounts).catch(this.options.onDefect));
  }

  stop(): void {
    this.#cancelReview();
    this.#silent.clear();
    this.orders.stop();
  }

  /** Registers the accounts again, and pushes what has happened in a silent one since its last push, as recovered. */
  async #registerAgain(accId: bigint): Promise<void> {
    const { connection, onSilent, clock } = this.options;
    const asked = connection();
    const of = this.#accounts?.find(({ accID }) => accID === accId);
    if (asked === undefined || of === undefined || !this.#wanted.includes(accId)) return;
    onSilent(accId);
    this.#told = undefined;
    await this.#tell();
    await this.#recover(of, this.#heardAt.get(accId) ?? clock.now(), () => connection() === asked);
  }

  /** Pushes the orders that work again after their end: the server came back with an older state. */
  async #review(accounts: readonly TrdAcc[]): Promise<void> {
    const { clock, upstream, soon, connection } = this.options;
    const asked = connection();
    for (const of of accounts) {
      if (asked === undefined || connection() !== asked) return;
      if (!this.#wanted.includes(of.accID)) continue;
      const askedAt = clock.monotonic();
      const orders = await readOrders(upstream, of, soon()).catch(unlessDefect);
      if (orders === undefined || 'refused' in orders || connection() !== asked) continue;
      for (const order of this.#ended.returned(of.accID, orders, askedAt)) this.#sellable.push(returnedOrder(of, order));
    }
  }

  /**
   * Notes an account's orders from before this process sent any: none of them is one whose answer is lost later, whatever the clocks of
   * the two machines say. An account that does not list them keeps nobody from trading.
   */
  async #noteEarlier(of: TrdAcc): Promise<void> {
    const { upstream, soon } = this.options;
    try {
      const orders = await readOrders(upstream, of, soon());
      if (!('refused' in orders)) this.orders.noteEarlier(of.accID, orders);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
    }
  }

  /** Pushes what happened in an account as recovered. An account that does not say keeps no other from trading. */
  async #recover(of: TrdAcc, since: number, isCurrent: () => boolean): Promise<void> {
    const { upstream, soon, onUnread } = this.options;
    const orders = await readOrders(upstream, of, soon());
    const fills = await readFills(upstream, of, soon());
    if (!isCurrent()) return;
    // Simulated accounts have no fills to ask for: that is not reported.
    if ('refused' in orders) onUnread({ acc_id: String(of.accID), reason: orders.refused });
    const found = recoveredTrades(of, 'refused' in orders ? [] : orders, 'refused' in fills ? [] : fills, since - SKEW_MS);
    for (const push of found) this.#sellable.push(push);
  }

  /** Tells the server the accounts whose pushes are wanted, unless it has taken them on this connection. */
  async #tell(): Promise<ResponseMessage> {
    const accIds = this.#wanted;
    const told = accIds.join();
    if (told === this.#told) return taken();
    const { upstream, soon, clock } = this.options;
    const asked = account.subAccPush;
    const c2s = create(asked.messages.C2SSchema, { accIDList: [...accIds] });
    // A server that has lost its trading login refuses now and takes them later.
    const answer = await upstream.request(asked, c2s, soon());
    this.#told = answer.retType === 0 ? told : undefined;
    for (const accId of accIds) if (!this.#heardAt.has(accId)) this.#heardAt.set(accId, clock.now());
    return answer;
  }
}

/** A read that failed: the next reconnection tries again. */
function unlessDefect(thrown: unknown): undefined {
  if (!(thrown instanceof BackendFailure)) throw thrown;
}

function taken(): ResponseMessage {
  return create(SubAccPushResponse, { retType: 0, s2c: {} }) as ResponseMessage;
}
