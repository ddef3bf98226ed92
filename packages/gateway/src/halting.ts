import { haltReason, type KeyRecord, type TradingHalt } from '@svc-gateway/access';
import { TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { invalidField, Rejection } from '@svc-gateway/contract/rejection';
import { listed, quoted } from '@svc-gateway/contract/shown';
import { whenTaken } from '@svc-gateway/storage';
import type { CallContext } from './backend.js';
import { BackendFailure } from './backend-failures.js';
import type { BracketService } from './brackets/index.js';
import type { GatewayBase } from './gateway-base.js';
import { ownerOfKey } from './identity.js';
import type { AccountOrders } from './orders/account-orders.js';
import { isLate, OrderSweep } from './orders/cancel-all.js';
import { notice } from './push/gaps.js';
import type { PushHub } from './push/index.js';
import { allAccounts, headerOf, tradesIn } from './traded-accounts.js';

export interface HaltingDeps extends GatewayBase {
  readonly orders: AccountOrders;
  readonly push: PushHub;
  readonly brackets: Pick<BracketService, 'hasProtectiveOrders' | 'isProtectiveOrder'>;
}

/** A request to halt trading. */
export interface HaltOrder {
  /** undefined = every caller. */
  readonly keyId: string | undefined;
  readonly cancelAll: boolean;
  readonly reason: string;
  /** The requesting key's id, or the name for the daemon's own user. */
  readonly by: string;
}

/** Result of cancelling the open orders of one account. */
export interface AccountCancels {
  readonly accId: bigint;
  readonly env: 'real' | 'simulate';
  readonly orders: number;
  readonly accepted: number;
  /** Exits of brackets, which stay: they guard what their entries have filled. Not among `orders`. */
  readonly kept: number;
  /** Orders that may still trade, as the last look shows; 0 where lists are never behind. */
  readonly unconfirmed: number;
  /** Reason why others were not accepted: the first of them; or which orders are not confirmed to be over. */
  readonly failure?: string;
}

export interface Halted {
  readonly halt: TradingHalt;
  readonly accounts: readonly AccountCancels[];
  /** Reason why the orders could not be looked for. */
  readonly failure?: string;
}

export interface Resumed {
  /** There was such a halt. */
  readonly resumed: boolean;
  /** Halts that are still in force. */
  readonly halts: readonly TradingHalt[];
}

/** How long the cancels of a halt may take. */
const SWEEP_MS_MAX = 60_000;
/** Time to answer the list of accounts: a halt's caller waits for what could be done without it. */
const ACCOUNTS_MS = 10_000;
/** After the first cancels: how soon orders are looked for again, how often at least, which is longer than lists are behind, and at most. */
const LOOK_AGAIN_MS = 3_000;
const LOOKS_MIN = 2;
const LOOKS_MAX = 4;
const NAMED_MAX = 10;

/** Halts and resumes what adds risk, for every caller or for one key. In force at once, kept on disk, recorded, and told to who is connected. */
export class Halting {
  constructor(private readonly deps: HaltingDeps) {}

  /** The halt is in force before anything is awaited; orders are cancelled after that, so that none comes behind. */
  async halt(order: HaltOrder, context: CallContext): Promise<Halted | Rejection> {
    const { access, clock } = this.deps;
    const key = this.#keyOf(order.keyId);
    if (key instanceof Rejection) return key;
    const { halts } = access.gates;
    const { keyId = null, reason, by } = order;
    const durable = halts.halt({ keyId, since: clock.now(), by, reason });
    const halt = halts.of(keyId ?? '') ?? { keyId, since: clock.now(), by, reason };
    this.#tell(haltReason(halt), keyId, context);
    // A disk that takes no more does not keep orders from being cancelled; it is told of after that.
    const taken = whenTaken(durable);
    taken.catch(() => undefined);
    const cancelled = order.cancelAll ? await this.#cancelAll(key, context) : { accounts: [] };
    await taken;
    return { halt, ...cancelled };
  }

  async resume(order: Pick<HaltOrder, 'keyId' | 'by'>, context: CallContext): Promise<Resumed> {
    const { halts } = this.deps.access.gates;
    const { keyId = null, by } = order;
    const resumed = await halts.resume(keyId);
    if (resumed) this.#tell(`trading is resumed${keyId === null ? '' : ` for key "${keyId}"`} by ${by}`, keyId, context);
    return { resumed, halts: halts.all() };
  }

  /** The record of a key; undefined for every caller. */
  #keyOf(keyId: string | undefined): KeyRecord | undefined | Rejection {
    if (keyId === undefined) return undefined;
    const known = this.deps.access.keyring?.keyNamed(keyId);
    return known ?? invalidField('key_id', `the keys file has no key ${quoted(keyId)}; nothing was halted`);
  }

  async #cancelAll(key: KeyRecord | undefined, { requestId, deadline }: CallContext): Promise<Omit<Halted, 'halt'>> {
    const { backendClock } = this.deps;
    // A halt continues even if its caller goes away.
    const signal = new AbortController().signal;
    const context: CallContext = { requestId, deadline: Math.max(deadline, backendClock.monotonic() + SWEEP_MS_MAX), signal };
    const cancelled = await this.#cancelEach(key, context);
    const { accounts, failure } = cancelled;
    this.#record(`${cancelsInWords(accounts)}${failure === undefined ? '' : `; ${failure}`}`, context);
    return cancelled;
  }

  async #cancelEach(key: KeyRecord | undefined, context: CallContext): Promise<Omit<Halted, 'halt'>> {
    const { access, orders, backendClock, brackets } = this.deps;
    const { halts } = access.gates;
    const sweeps = new Map<bigint, { readonly header: TrdHeader; readonly sweep: OrderSweep }>();
    const isInForce = () => halts.of(key?.id ?? '') !== undefined;
    const underWay = ({ accID }: TrdHeader) =>
      orders.unanswered.halt(accID, { isInForce, stays: (order) => brackets.isProtectiveOrder(accID)(order) });
    const sweepNew = async (headers: readonly TrdHeader[]) => {
      const added = headers
        .filter((header) => !sweeps.has(header.accID) && (key === undefined || tradesIn(access, key, header)))
        .map((header) => ({ header, sweep: this.#sweepOf(header) }));
      for (const one of added) {
        sweeps.set(one.header.accID, one);
        underWay(one.header);
      }
      await passAll(
        added.map(({ sweep }) => sweep),
        context,
      );
    };
    const listing = this.#accounts(context);
    if (await isLate(listing, backendClock)) await sweepNew(orders.accounts());
    const listed = await listing;
    await sweepNew(typeof listed === 'string' ? orders.accounts() : listed);
    const all = [...sweeps.values()];
    if (all.length > 0) {
      await this.#lookAgain(
        all.map(({ sweep }) => sweep),
        context,
      );
    }
    const accounts = all.flatMap(({ header, sweep }) => this.#cancelsOf(header, sweep, underWay(header)) ?? []);
    return typeof listed === 'string' ? { accounts, failure: listed } : { accounts };
  }

  /** The accounts of the backend; why not, where it does not list them. */
  async #accounts(context: CallContext): Promise<readonly TrdHeader[] | string> {
    try {
      const listed = await allAccounts(this.deps.backend, { ...context, answerMs: ACCOUNTS_MS });
      return typeof listed === 'string' ? listed : listed.map(headerOf);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      return `open orders could not be looked for: ${thrown.message}`;
    }
  }

  #sweepOf(header: TrdHeader): OrderSweep {
    const { backend, backendClock, orders, brackets } = this.deps;
    const { accID: accId } = header;
    return new OrderSweep({
      ...{ backend, orders, clock: backendClock, header, market: 0, unlisted: true },
      staying: () => brackets.isProtectiveOrder(accId),
      // Another exit may be on its way: a cancel of everything would take it away.
      everything: !brackets.hasProtectiveOrders(accId),
    });
  }

  /** Orders that left before the halt may be listed some seconds later, and cancels take their time: neither is taken for done before it is seen. */
  async #lookAgain(sweeps: readonly OrderSweep[], context: CallContext): Promise<void> {
    const { orders, backendClock } = this.deps;
    if (orders.apartMs === 0) return;
    for (let look = 1; look <= LOOKS_MAX; look++) {
      await new Promise<void>((resolve) => backendClock.after(LOOK_AGAIN_MS, resolve));
      await passAll(sweeps, context);
      const isOver = sweeps.every(({ outcome: { unconfirmed, failure } }) => unconfirmed.length === 0 && failure === undefined);
      if (isOver && look >= LOOKS_MIN) return;
    }
  }

  /** Result for an account's orders; undefined if there were none. */
  #cancelsOf({ accID: accId, trdEnv }: TrdHeader, { outcome }: OrderSweep, underWay: number): AccountCancels | undefined {
    const { orders, accepted, kept } = outcome;
    const unconfirmed = this.deps.orders.apartMs === 0 ? [] : outcome.unconfirmed;
    const left = [
      ...(unconfirmed.length === 0 ? [] : [unconfirmedInWords(unconfirmed)]),
      ...(underWay === 0 ? [] : [`sent and not answered yet, and cancelled once they are: ${underWay}`]),
    ];
    const failure = outcome.failure ?? (left.length === 0 ? undefined : left.join('; '));
    if (orders === 0 && kept === 0 && failure === undefined) return undefined;
    const env = trdEnv === TrdEnv.TrdEnv_Real ? 'real' : 'simulate';
    return {
      accId,
      env,
      orders,
      accepted,
      kept,
      unconfirmed: unconfirmed.length + underWay,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  /** Reports to the trail, the log and the connected clients: all of them, or the halted key's own. */
  #tell(text: string, keyId: string | null, context: CallContext): void {
    const { access, push } = this.deps;
    this.#record(text, context);
    if (keyId === null) push.notify(notice(text));
    else {
      const key = access.keyring?.keyNamed(keyId);
      if (key !== undefined) push.notify(notice(text), ownerOfKey(key));
    }
  }

  #record(reason: string, { requestId }: CallContext): void {
    const { access, logger } = this.deps;
    access.audit.record({ iface: 'daemon', endpoint: 'halt', keyId: null, outcome: 'allow', reason, requestId });
    logger.warn({ request_id: requestId }, reason);
  }
}

/** "cancels accepted for 3 of 4 open orders, 1 exit of brackets stays", of all accounts together. */
export function cancelsInWords(accounts: readonly AccountCancels[]): string {
  const sum = (figure: 'orders' | 'accepted' | 'kept' | 'unconfirmed') => accounts.reduce((total, account) => total + account[figure], 0);
  const kept = sum('kept');
  const stay = kept === 0 ? '' : `, ${kept === 1 ? '1 exit of brackets stays' : `${kept} exits of brackets stay`}`;
  const unconfirmed = sum('unconfirmed');
  const left = unconfirmed === 0 ? '' : `, ${unconfirmed} not confirmed to be over`;
  return `cancels accepted for ${sum('accepted')} of ${sum('orders')} open orders${stay}${left}`;
}

/** Runs the sweeps concurrently: a missing list of one account delays no other. */
async function passAll(sweeps: readonly OrderSweep[], context: CallContext): Promise<void> {
  await Promise.all(sweeps.map((sweep) => sweep.pass(context)));
}

function unconfirmedInWords(names: readonly string[]): string {
  return `not confirmed to be over: ${names.length === 1 ? 'order' : 'orders'} ${listed(names, NAMED_MAX)}`;
}
