import { create } from '@bufbuild/protobuf';
import { type Access, haltReason, type KeyRecord, type TradingHalt } from '../access/index.js';
import type { Clock } from '../contract/clock.js';
import { GtwEventSchema, GtwEventType, NotifyType, ResponseSchema, S2CSchema } from '../contract/generated/Notify_pb.js';
import { ModifyOrderOp, type Order, type TrdAcc, TrdEnv, type TrdHeader } from '../contract/generated/Trd_Common_pb.js';
import { C2SSchema as ModifyC2S } from '../contract/generated/Trd_ModifyOrder_pb.js';
import { trade } from '../contract/operations/index.js';
import { Rejection } from '../contract/rejection.js';
import { whenTaken } from '../storage/index.js';
import { type Backend, BackendFailure, type CallContext, type NotifyPush, type ResponseMessage } from './backend.js';
import type { Brackets } from './brackets/index.js';
import { ownerOfKey } from './identity.js';
import type { Logger } from './logger.js';
import { openOrders } from './orders/order-lookup.js';
import type { PushHub } from './push/index.js';
import { RET_SUCCEED } from './responses.js';
import { allAccounts, headerOf, tradesIn } from './traded-accounts.js';

export interface HaltingParts {
  readonly access: Access;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly push: PushHub;
  readonly brackets: Pick<Brackets, 'guardsIn' | 'exitsIn'>;
  readonly logger: Logger;
}

/** What is asked for. */
export interface HaltOrder {
  /** undefined = every caller. */
  readonly keyId: string | undefined;
  readonly cancelAll: boolean;
  readonly reason: string;
  /** Who asks: a key's id, or what stands for the daemon's own user. */
  readonly by: string;
}

/** What became of the open orders of one account. */
export interface AccountCancels {
  readonly accId: bigint;
  readonly env: 'real' | 'simulate';
  readonly orders: number;
  readonly accepted: number;
  /** Exits of brackets, which stay: they guard what their entries have filled. Not among `orders`. */
  readonly kept: number;
  /** Why others were not accepted: the first of them. */
  readonly failure?: string;
}

export interface Halted {
  readonly halt: TradingHalt;
  readonly accounts: readonly AccountCancels[];
  /** Why the orders could not be looked for. */
  readonly failure?: string;
}

export interface Resumed {
  /** There was such a halt. */
  readonly resumed: boolean;
  /** Halts that are still in force. */
  readonly halts: readonly TradingHalt[];
}

/** Halts and resumes what adds risk, for every caller or for one key. In force at once, kept on disk, recorded, and told to who is connected. */
export class Halting {
  readonly #parts: HaltingParts;

  constructor(parts: HaltingParts) {
    this.#parts = parts;
  }

  /** The halt is in force before anything is awaited; orders are cancelled after that, so that none comes behind. */
  async halt(order: HaltOrder, context: CallContext): Promise<Halted | Rejection> {
    const { access, clock } = this.#parts;
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
    const { halts } = this.#parts.access.gates;
    const { keyId = null, by } = order;
    const resumed = await halts.resume(keyId);
    if (resumed) this.#tell(`trading is resumed${keyId === null ? '' : ` for key "${keyId}"`} by ${by}`, keyId, context);
    return { resumed, halts: halts.all() };
  }

  /** The record of a key; undefined for every caller. */
  #keyOf(keyId: string | undefined): KeyRecord | undefined | Rejection {
    if (keyId === undefined) return undefined;
    const known = this.#parts.access.keyring?.keyNamed(keyId);
    return (
      known ?? new Rejection('request.invalid', `key_id: the keys file has no key "${keyId}"; nothing was halted`, { field: 'key_id' })
    );
  }

  async #cancelAll(key: KeyRecord | undefined, context: CallContext): Promise<Omit<Halted, 'halt'>> {
    const cancelled = await this.#cancelEach(key, context);
    const { accounts, failure } = cancelled;
    this.#record(`${cancelsInWords(accounts)}${failure === undefined ? '' : `; ${failure}`}`, context);
    return cancelled;
  }

  async #cancelEach(key: KeyRecord | undefined, context: CallContext): Promise<Omit<Halted, 'halt'>> {
    const { access, backend } = this.#parts;
    const accounts: AccountCancels[] = [];
    try {
      const listed = await allAccounts(backend, context);
      if (typeof listed === 'string') return { accounts, failure: listed };
      for (const account of listed) {
        if (key !== undefined && !tradesIn(access, key, account)) continue;
        const cancelled = await this.#cancelIn(account, context);
        if (cancelled !== undefined) accounts.push(cancelled);
      }
      return { accounts };
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      return { accounts, failure: `open orders could not be looked for: ${thrown.message}` };
    }
  }

  /** Cancels what is open in an account; undefined where nothing is. One account that cannot be reached does not keep the others. */
  async #cancelIn(account: TrdAcc, context: CallContext): Promise<AccountCancels | undefined> {
    const header = headerOf(account);
    const { brackets } = this.#parts;
    const { accID: accId } = account;
    const place = { accId, env: account.trdEnv === TrdEnv.TrdEnv_Real ? 'real' : 'simulate' } as const;
    try {
      const open = await openOrders(this.#parts.backend, header, context);
      if ('retType' in open) return { ...place, orders: 0, accepted: 0, kept: 0, failure: open.retMsg };
      if (open.length === 0) return undefined;
      const isExit = brackets.exitsIn(accId);
      const ended = open.filter((order) => !isExit(order));
      // Another exit may be on its way: a cancel of everything would take it away.
      const cancels = await this.#cancel(header, ended, !brackets.guardsIn(accId), context);
      return { ...place, orders: ended.length, kept: open.length - ended.length, ...cancels };
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      return { ...place, orders: 0, accepted: 0, kept: 0, failure: thrown.message };
    }
  }

  /** All at once where nothing is to stay and the brokerage can do that, or else one after the other, as fast as it takes them. */
  async #cancel(
    header: TrdHeader,
    orders: readonly Order[],
    everything: boolean,
    context: CallContext,
  ): Promise<Pick<AccountCancels, 'accepted' | 'failure'>> {
    const all = everything ? await this.#modify(header, { orderID: 0n, forAll: true, trdMarket: 0 }, context) : 'some stay';
    if (all === undefined) return { accepted: orders.length };
    let accepted = 0;
    let failure: string | undefined;
    for (const { orderID, orderIDEx } of orders) {
      const refused = await this.#modify(header, { orderID, orderIDEx }, context);
      if (refused === undefined) accepted += 1;
      else failure ??= `order ${orderIDEx || orderID}: ${refused}`;
    }
    return failure === undefined ? { accepted } : { accepted, failure };
  }

  /** Why a cancel was not accepted; undefined where it was. */
  async #modify(
    header: TrdHeader,
    fields: { orderID: bigint; orderIDEx?: string; forAll?: boolean; trdMarket?: number },
    context: CallContext,
  ): Promise<string | undefined> {
    const operation = fields.forAll ? trade.cancelAllOrder : trade.cancelOrder;
    const packetID = { connID: 0n, serialNo: 0 };
    const request = create(ModifyC2S, { packetID, header, modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel, ...fields });
    try {
      const response: ResponseMessage = await this.#parts.backend.call(operation, request, context);
      return response.retType === RET_SUCCEED ? undefined : response.retMsg;
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      return thrown.message;
    }
  }

  /** The trail, the log, and who is connected: all of them, or the halted key's own connections. */
  #tell(text: string, keyId: string | null, context: CallContext): void {
    const { access, push } = this.#parts;
    this.#record(text, context);
    if (keyId === null) push.notify(haltNotice(text));
    else {
      const key = access.keyring?.keyNamed(keyId);
      if (key !== undefined) push.notify(haltNotice(text), ownerOfKey(key));
    }
  }

  #record(reason: string, { requestId }: CallContext): void {
    const { access, logger } = this.#parts;
    access.audit.record({ iface: 'daemon', endpoint: 'halt', keyId: null, outcome: 'allow', reason, requestId });
    logger.warn({ request_id: requestId }, reason);
  }
}

/** "cancels accepted for 3 of 4 open orders, 1 exit of brackets stays", of all accounts together. */
export function cancelsInWords(accounts: readonly AccountCancels[]): string {
  const sum = (figure: 'orders' | 'accepted' | 'kept') => accounts.reduce((total, account) => total + account[figure], 0);
  const kept = sum('kept');
  const stay = kept === 0 ? '' : `, ${kept === 1 ? '1 exit of brackets stays' : `${kept} exits of brackets stay`}`;
  return `cancels accepted for ${sum('accepted')} of ${sum('orders')} open orders${stay}`;
}

/** The public protocol has no event for it: a gateway event of no type, in words. */
function haltNotice(desc: string): NotifyPush {
  const event = create(GtwEventSchema, { eventType: GtwEventType.GtwEventType_None, desc });
  const s2c = create(S2CSchema, { type: NotifyType.NotifyType_GtwEvent, event });
  return { type: 'notify', protoId: 1003, message: create(ResponseSchema, { retType: RET_SUCCEED, s2c }) };
}
