import type { Message } from '@bufbuild/protobuf';
import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Store } from '@svc-gateway/storage';
import type { LateRejection } from './backend-failures.js';
import type { Traded } from './market-names.js';

/** The part of a call that a backend sees; identity and limits stay in the gateway. */
export interface CallContext {
  /** One id per request, in logs and audit. */
  readonly requestId: string;
  /** When the caller stops waiting, in milliseconds of {@link Clock.monotonic}. */
  readonly deadline: number;
  /**
   * Aborted when nobody waits for the answer any more: the caller went away, or the deadline passed. That of a write which has
   * left the gateway is never aborted: the outcome counts, whoever waits for it. Made when it is first asked for.
   */
  readonly signal: AbortSignal;
  /** Time for a server to answer a read once it has been asked, in milliseconds; waiting for a turn does not count. The deadline alone where absent. */
  readonly answerMs?: number | undefined;
  /** Caller whose share of a server's requests it takes. Left out for what the daemon itself needs, such as halts and exits of brackets: that goes first. */
  readonly owner?: string | undefined;
  /**
   * Reads only: told before the answer when it was asked for, of {@link Clock.monotonic}. That is earlier than the call where callers share a read
   * that is under way. Not told by backends that share none.
   */
  readonly onAsked?: ((at: number) => void) | undefined;
  /**
   * Writes only: the reason why it may no longer be sent. Backends ask at the moment of sending, which may be long after the
   * call: trading may have been halted meanwhile, or the caller's key revoked.
   */
  readonly lateRejection?: (() => LateRejection | undefined) | undefined;
  /** Writes only: how the write is known, and since when it is on its way; no backend sees it. */
  readonly sending?: Sending | undefined;
  /** Quantity of an opposite position that a bracket's entry closes; no backend sees it. */
  readonly closes?: Decimal | undefined;
  /**
   * Order book reads only: the caller is subscribed to the orders behind each level and receives them where the backend knows
   * them. A backend may always include them; the gateway strips them.
   */
  readonly orderDetail?: boolean;
}

/** A write that is sent, or is about to be. */
export interface Sending {
  readonly packet: PacketId;
  /** Milliseconds since it was sent first, by a clock that nobody sets; undefined where it was not sent before. */
  readonly firstSentMs?: number;
}

/** A protocol `Response` wrapper: `retType`, `retMsg`, `errCode`, `s2c`. */
export type ResponseMessage = Message & { retType: number; retMsg: string; errCode: number };

/** The protocol's replay protection of one write: a brokerage that has it answers a repetition with the first answer. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

/** One kind of fee. */
export interface FeeItem {
  readonly title: string;
  readonly amount: Decimal;
}

/** Estimated fees of an order, all in one currency ("HKD"). */
export interface FeeEstimate {
  readonly currency: string;
  readonly items: readonly FeeItem[];
}

/** Contract terms that turn a quantity and a price into money. */
export interface TradingTerms {
  /** Money per point of the price: 1 for securities, more for contracts. */
  readonly multiplier: Decimal;
  /** Trading currency: "HKD". */
  readonly currency: string;
}

/** One live data stream of a symbol: the unit of a quote subscription. */
export interface QuoteStream {
  /** "HK.00700". */
  readonly symbol: string;
  /** Qot_Common.SubType. */
  readonly subType: number;
  /** Qot_Common.RehabType; 0 where the type has no adjustment. */
  readonly rehabType: number;
  /** US pre- and after-market data too. */
  readonly extendedTime: boolean;
  /** Hong Kong order books only: include the orders behind each level. Absent = not wanted. */
  readonly orderDetail?: true;
}

export interface QuotePush {
  readonly type: 'quote';
  /** 3005, 3007, … */
  readonly protoId: number;
  readonly stream: QuoteStream;
  /** "1_00700". */
  readonly secKey: string;
  /** The push's `Response`, immutable once sent. */
  readonly message: ResponseMessage;
}

export interface TradePush {
  readonly type: 'trade';
  /** 2208 (order) or 2218 (fill). */
  readonly protoId: number;
  readonly accId: bigint;
  /** Trd_Common.TrdMarket. */
  readonly trdMarket: number;
  /** Units of the order's security that the account could sell once this had happened, where the backend says it. */
  readonly canSellQty?: number;
  /** Found after a gap in the account's pushes, and not when it happened. */
  readonly recovered?: boolean;
  /** A list that was asked for after the order's end was pushed shows it working again: its server came back with an older state. */
  readonly returned?: boolean;
  /** Position among the gateway's order and fill events, for clients to resume from. */
  readonly cursor?: string;
  /** Sent again to a client that resumes. */
  readonly replayed?: boolean;
  readonly message: ResponseMessage;
}

/** A stretch of time of which events are missing. Times are ISO 8601 UTC. */
export interface Gap {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export interface NotifyPush {
  readonly type: 'notify';
  /** 1003. */
  readonly protoId: number;
  readonly message: ResponseMessage;
  /** Announces this gap, for which the message has no field. */
  readonly gap?: Gap;
  /** Subject of the notice, shown to keys with access to any of it; a notice without one is for everybody. */
  readonly about?: NotifySubject;
}

export interface NotifySubject {
  readonly symbols: readonly string[];
  readonly accIds: readonly bigint[];
  /** Order or position in these accounts that the text describes: seen only by those whose lists allow it too. */
  readonly traded?: Traded;
}

export type PushEvent = QuotePush | TradePush | NotifyPush;

export type LifecycleState = 'idle' | 'connecting' | 'authenticating' | 'ready' | 'reconnecting' | 'failed' | 'stopped';

/** One connection point of the backend. Times are ISO 8601 UTC. */
export interface LifecycleSnapshot {
  readonly lifecycleState: LifecycleState;
  /** Rises by one at each entry into `connecting`. */
  readonly lifecycleGeneration: number;
  readonly lastLifecycleEvent?: string;
  readonly reconnectAttempts: number;
  readonly reconnectSuccesses: number;
  readonly reconnectFailures: number;
  readonly lastAttemptAt?: string;
  readonly lastSuccessAt?: string;
  readonly lastFailureAt?: string;
}

/** The connection to one broker. */
export interface BrokerSnapshot extends LifecycleSnapshot {
  readonly brokerId: number;
  readonly name: string;
}

export interface BackendStatus {
  readonly platform: LifecycleSnapshot;
  readonly brokers: readonly BrokerSnapshot[];
}

/** Quote streams, and accounts with wanted order and fill pushes. */
export interface StreamScope {
  readonly streams: 'all' | readonly QuoteStream[];
  readonly accIds: 'all' | readonly bigint[];
}

/** Pushes that stopped, because their connection was lost or the server behind it forgot them. */
export interface StreamsLost extends StreamScope {
  /** Epoch ms: nothing that happened later is sure to have come through. */
  readonly from: number;
  /** Reason for people: "the connection to the platform was lost". */
  readonly reason: string;
}

/** Notified of lost and restored streams. */
export interface StreamsListener {
  lost(lost: StreamsLost): void;
  /**
   * The connection that carries these is back: whatever of them is still wanted is subscribed to again. Resolves when the
   * backend has answered all of it and the gap has been announced.
   */
  restore(scope: StreamScope): Promise<void>;
}

/** A refusal to end streams now. They go on, and are asked to be ended again later if nobody wants them by then. */
export interface UnsubscribeRefusal {
  readonly streams: readonly QuoteStream[];
  /** Message for people: "a subscription lasts a minute at least". */
  readonly message: string;
  readonly retryAfterMs: number;
}

/** An earlier answer. */
export interface HeldAnswer {
  readonly response: ResponseMessage;
  /** When it was given, epoch ms. */
  readonly at: number;
  /** How long ago, in ms, whatever became of the clock. */
  readonly ageMs: number;
}

/** Units of a subscription quota. */
export interface QuotaFigures {
  readonly used: number;
  readonly limit: number;
}

/** The subscription quotas of the server behind the gateway: of all its connections, this daemon's and others. */
export interface SubscriptionQuotas {
  readonly securities: QuotaFigures;
  /** Quota of options, on servers that count them apart. */
  readonly options?: QuotaFigures;
}

/** The outcome of asking the backend to refresh its credentials. */
export type CredentialRefresh = 'succeeded' | 'failed' | 'not_applicable';

/**
 * The brokerage behind the gateway: the simulated one, a remote one, or an upstream OpenD. Every backend answers operations by
 * their messages; none knows callers, keys or limits.
 */
export interface Backend {
  readonly name: 'sim' | 'remote' | 'opend';
  /** No real money can be moved and no price is real. Known when {@link start} resolves. */
  readonly simulated: boolean;
  /**
   * A write that comes again under the packet id of an earlier one gets the first answer, however long ago that was, or a
   * refusal where nobody can tell; it is never carried out twice. Otherwise a write whose outcome is unknown is not sent again.
   */
  readonly replaysWrites: boolean;
  /**
   * The order that was placed under a packet id; undefined where none was. Left out by a backend that cannot say that for sure, at once.
   */
  placedUnder?(packet: PacketId): { readonly orderID: bigint; readonly orderIDEx: string } | undefined;
  /**
   * Its lists show every order and position in the moment in which that is acknowledged. Left out by a backend whose server is elsewhere: its
   * lists may be seconds behind, also those that are asked for afresh, and nothing is decided by what they lack.
   */
  readonly listsCurrent?: true;
  /**
   * The store in which this backend records a write before it answers, where it has one in this process. A store keeps writes in
   * order: where it is the gateway's own, the disk never has an order without what the gateway wrote before the call, and the
   * gateway need not wait for that before it calls. Backends elsewhere leave it out.
   */
  readonly journal?: Store | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Answers one operation. `request` is the operation's `C2S`; the answer is its `Response`. A backend that can answer
   * at once returns the value itself, so that a cached read does not leave the turn. A definite refusal is a Response with
   * retType other than 0; where there is no answer it throws, or rejects with, what {@link BackendFailure} tells apart. Every
   * promise settles: those of a connection that is lost at once. A write asks {@link CallContext.lateRejection} as it is carried out or
   * leaves, and is rejected with what that says.
   * Nobody writes to an answer once it is returned: while nothing changes, a backend may return the same object again,
   * and whoever encodes it need not do so twice.
   */
  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage>;
  /**
   * A recent answer to the same request, if still useful and not about an account. Called while {@link readiness} names a
   * connection; the gateway adds its age. Absent on backends that keep no answers.
   */
  held?(operation: Operation, request: Message): HeldAnswer | undefined;
  /**
   * A request of a protocol id that no operation has: the bytes of a `Request` in, those of a `Response` out. It may be anything,
   * an order too, and so is treated as a write. Left out by backends that know nothing beyond the operations.
   */
  callBytes?(protoId: number, body: Uint8Array, context: CallContext): Promise<Uint8Array>;
  /**
   * Decides on a write as {@link call} would at this moment, and stops there: the refusal that it would be answered with; undefined
   * where it would be accepted, or a success without payload whose message is what the order would then say of itself. Left out by
   * backends that cannot tell beforehand.
   */
  check?(operation: Operation, request: Message, context: CallContext): ResponseMessage | undefined | Promise<ResponseMessage | undefined>;
  /**
   * The fees of an order that would be filled completely at `price`. undefined where the order is none that could be
   * placed. Backends that cannot know fees beforehand leave the method out.
   */
  estimateFees?(request: PlaceC2S, price: Decimal, context: CallContext): FeeEstimate | undefined | Promise<FeeEstimate | undefined>;
  /** How a security trades; undefined where the backend does not know it, or cannot tell the multiplier of a contract. */
  tradingTerms(security: Security, context: CallContext): TradingTerms | undefined | Promise<TradingTerms | undefined>;
  /** Units of `to` ("HKD") that one unit of `from` is worth now; undefined where the backend has no such rate. */
  exchangeRate(from: string, to: string, context: CallContext): Decimal | undefined | Promise<Decimal | undefined>;
  /** Starts a stream; its pushes begin. Rejected streams (unknown symbol, no right) are a Response with retType other than 0. */
  subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage>;
  /**
   * Asked about streams that it has refused to start: those of them whose symbol there is, and whose type it does not serve. They are
   * left out then, and the rest started. A backend that cannot tell does without, and the whole stays refused.
   */
  unserved?(streams: readonly QuoteStream[]): readonly QuoteStream[] | Promise<readonly QuoteStream[]>;
  /** Ends streams; undefined when all have ended. */
  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined>;
  /**
   * The subscription quotas of the server behind it as far as they are known, from memory. Left out by a backend without any:
   * then the daemon's own is the only one.
   */
  subscriptionQuotas?(): SubscriptionQuotas | undefined;
  /** The content of a first push of this stream; undefined when there is nothing yet. */
  current(stream: QuoteStream): QuotePush | undefined;
  /** Sets the accounts whose order and fill pushes are wanted. */
  subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage>;
  /** Notices for every new listener, such as that the data are simulated. */
  notices(): readonly NotifyPush[];
  /** Every push, in order. Returns its own removal. */
  onPush(listener: (event: PushEvent) => void): () => void;
  /**
   * Streams that are lost, and that can be restored. A backend that lost a connection calls `lost` at once, and when the
   * connection is back `restore`: it awaits that, then pushes the orders and fills that it has found meanwhile as `recovered`,
   * each state once and in order, and only then is the connection `ready`. Returns its own removal.
   */
  onStreams(listener: StreamsListener): () => void;
  status(): BackendStatus;
  /**
   * The connection that an operation waits for: a quote needs the platform, an order the broker of its account. undefined when
   * it can be sent. Asked before every call, so it costs next to nothing.
   */
  readiness(operation: Operation, request: Message): LifecycleSnapshot | BrokerSnapshot | undefined;
  onLifecycle(listener: (status: BackendStatus) => void): () => void;
  /**
   * Forgets, at once, the keys and sessions that it keeps for connections to come; those that there are go on. Left out by a backend
   * that keeps none.
   */
  clearCiphers?(): void;
  /** Gets new ones, so that what the brokerage has changed about the login is found out before a connection needs it. */
  refreshCredentials(): Promise<CredentialRefresh>;
}
