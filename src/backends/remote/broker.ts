import { create, type Message } from '@bufbuild/protobuf';
import * as Notify from '../../contract/generated/Notify_pb.js';
import type { TrdAcc } from '../../contract/generated/Trd_Common_pb.js';
import type { Operation } from '../../contract/operation.js';
import { account } from '../../contract/operations/index.js';
import type { BrokerSnapshot, CallContext, ResponseMessage } from '../../gateway/index.js';
import {
  AccountListCheck,
  type Greeting,
  hideMarks,
  Orders,
  type PushFrame,
  type RequestOptions,
  readAccounts,
  readFills,
  readOrders,
  readPush,
  recoveredTrades,
  SellableQuantities,
  tradePushOf,
  type Upstream,
  understood,
} from '../../protocol-client/index.js';
import { type ConnectionDeps, EndpointConnection } from './endpoint-connection.js';
import type { BrokerEndpoint } from './login-answer.js';
import type { ConnectionEvents } from './platform.js';

const NOTIFY = 1003;
/** How long the backend waits for what it asks by itself. */
const OWN_MS_MAX = 10_000;
/** Clocks of two machines differ, and pushes wait on their way: what is this much older than a loss may still have been lost. */
const SKEW_MS = 60_000;
const NO_STREAMS = [] as const;

/** The connection to one broker: its accounts, and what happens in them. */
export class Broker {
  readonly id: number;
  readonly name: string;
  readonly point: EndpointConnection;
  readonly #parts: ConnectionDeps;
  readonly #events: ConnectionEvents;
  readonly #orders: Orders;
  readonly #sellable: SellableQuantities;
  readonly #accountList: AccountListCheck;
  /** Looks of those who wait until it is ready. */
  readonly #waiting = new Set<() => void>();
  #accounts: readonly TrdAcc[] | undefined;
  /** Of all accounts whose pushes are wanted, those that are here. */
  #wanted: readonly bigint[] = [];
  /** What the connection there is was told of them. */
  #told = '';
  /** Epoch ms: since then what happened is not known. */
  #lostFrom: number | undefined;

  constructor({ brokerId, name }: BrokerEndpoint, parts: ConnectionDeps, events: ConnectionEvents) {
    this.id = brokerId;
    this.name = name;
    this.#parts = parts;
    this.#events = events;
    this.point = new EndpointConnection({
      ...parts,
      name: `broker ${brokerId}`,
      role: 'trading',
      onLifecycle: () => {
        for (const look of this.#waiting) look();
        parts.onLifecycle();
      },
      endpointIn: ({ brokers }) => brokers.find((broker) => broker.brokerId === brokerId),
      prepare: (upstream, greeting) => this.#prepare(upstream, greeting),
      onLost: (reason, heardAt) => this.#lost(reason, heardAt),
      onPush: (frame) => this.#pushed(frame),
      onServing: () => this.#accountList.check(),
    });
    const { own } = this.point.requests;
    this.#sellable = new SellableQuantities(own, parts.clock, (event) => events.push(event));
    this.#accountList = new AccountListCheck({
      upstream: own,
      options: () => this.#own(),
      connection: () => (this.point.session.lifecycle.state === 'ready' ? this.point.session.greeting : undefined),
      onListed: (accounts) => {
        this.#accounts = accounts;
      },
      onRefused: (reason) => this.point.session.renew(reason),
      onDefect: parts.onDefect,
    });
    this.#orders = new Orders({
      ask: (operation, request, deadline) => own.request(operation, request, { deadline }),
      write: (operation, request, departure) => own.request(operation, request, departure),
      clock: parts.clock,
      onFound: (order) => this.#sellable.push(order),
      whenTrading: (deadline) => this.#whenReady(deadline),
    });
  }

  /** A write that was sent is never sent again; an order whose answer was lost is looked for among the account's orders. */
  async call(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    const writes = operation.effect === 'order' || operation.effect === 'write';
    const answer = writes ? this.#orders.call(operation, request, context) : this.point.requests.call(operation, request, context);
    return hideMarks(await (operation === account.listAccounts ? this.#accountList.note(answer) : answer));
  }

  /** Those that it listed last; undefined while it never did. */
  get accounts(): readonly TrdAcc[] | undefined {
    return this.#accounts;
  }

  get snapshot(): BrokerSnapshot {
    return { brokerId: this.id, name: this.name, ...this.point.snapshot };
  }

  has(accId: bigint): boolean {
    return this.#accounts?.some(({ accID }) => accID === accId) ?? false;
  }

  /** Has it push what happens in these of its accounts, and in no others; while it is away they are kept for when it is back. */
  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage | undefined> {
    this.#wanted = accIds;
    const told = accIds.join();
    if (told === this.#told || this.point.session.greeting === undefined) return undefined;
    const asked = account.subAccPush;
    const c2s = create(asked.messages.C2SSchema, { accIDList: [...accIds] });
    const response = understood(asked.name, await this.point.session.request(asked, c2s, this.#own()));
    if (response.retType === 0) this.#told = told;
    return response;
  }

  /** Ends the connection for good: what it pushed does not come any more. */
  end(reason: string): void {
    if (this.point.session.greeting !== undefined) this.#lost(reason, this.#parts.clock.now());
    this.stop();
  }

  stop(): void {
    this.#orders.stop();
    this.point.stop();
  }

  /** Resolves to true once it is ready, to false where that takes until `deadline` (of the monotonic clock), or for ever. */
  #whenReady(deadline: number): Promise<boolean> {
    const { clock } = this.#parts;
    return new Promise((resolve) => {
      const settle = (ready: boolean) => {
        this.#waiting.delete(look);
        cancel();
        resolve(ready);
      };
      const look = () => {
        const { lifecycleState } = this.point.snapshot;
        if (lifecycleState === 'ready') settle(true);
        else if (lifecycleState === 'failed' || lifecycleState === 'stopped') settle(false);
      };
      const cancel = clock.after(Math.max(0, deadline - clock.monotonic()), () => settle(false));
      this.#waiting.add(look);
      look();
    });
  }

  #own(): RequestOptions {
    return { deadline: this.#parts.clock.monotonic() + OWN_MS_MAX };
  }

  /** Its accounts first, as everything else goes by them; then their pushes, and what happened while they did not come. */
  async #prepare(upstream: Upstream, greeting: Greeting): Promise<void> {
    const accounts = await readAccounts(upstream, this.#own());
    this.#accounts = accounts;
    const from = this.#lostFrom;
    if (from === undefined) {
      await this.subscribeAccounts(this.#wanted);
      return;
    }
    await this.#events.restore({ streams: NO_STREAMS, accIds: accounts.map(({ accID }) => accID) });
    const isCurrent = () => this.point.session.greeting === greeting;
    // What happens before the broker has the list is not pushed, and was not found either.
    if (isCurrent()) await this.subscribeAccounts(this.#wanted);
    for (const of of accounts) if (this.#wanted.includes(of.accID) && isCurrent()) await this.#recover(of, from, isCurrent);
    if (isCurrent()) this.#lostFrom = undefined;
  }

  /** What happened in an account since `from` is pushed as recovered. An account that says nothing of it keeps no other from trading. */
  async #recover(of: TrdAcc, from: number, isCurrent: () => boolean): Promise<void> {
    const { own } = this.point.requests;
    const orders = await readOrders(own, of, this.#own());
    const fills = await readFills(own, of, this.#own());
    if (!isCurrent()) return;
    for (const [what, list] of Object.entries({ orders, fills })) {
      if (!('refused' in list)) continue;
      const details = { broker: this.id, acc_id: String(of.accID), reason: list.refused };
      this.#parts.logger.warn(details, `what became of ${what} while the broker was away could not be read`);
    }
    const found = recoveredTrades(of, 'refused' in orders ? [] : orders, 'refused' in fills ? [] : fills, from - SKEW_MS);
    for (const event of found) this.#sellable.push(event);
    await this.#sellable.idle();
  }

  #lost(reason: string, heardAt: number): void {
    this.#told = '';
    this.#lostFrom ??= heardAt;
    const accIds = (this.#accounts ?? []).map(({ accID }) => accID);
    this.#events.lost({ streams: NO_STREAMS, accIds, from: this.#lostFrom, reason: `the connection to ${this.name} was lost: ${reason}` });
  }

  #pushed(frame: PushFrame): void {
    const event = tradePushOf(frame);
    if (event !== undefined) {
      // Nobody asked for any other account's, which may be another broker's.
      if (!this.#wanted.includes(event.accId)) return;
      this.point.requests.tradeChanged();
      this.#sellable.push({ ...event, message: hideMarks(event.message) });
      return;
    }
    // Clients hear of it by the platform.
    const notice = frame.protoId === NOTIFY ? readPush<Notify.S2C>(Notify.ResponseSchema, frame) : undefined;
    if (notice !== undefined) this.point.noticed(notice.s2c);
  }
}
