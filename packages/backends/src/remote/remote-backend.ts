import type { KeyObject } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as HistoryKlC2S } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import { C2SSchema as KlQuotaC2SSchema } from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import type { TrdAcc } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { C2S as VerificationC2S } from '@svc-gateway/contract/generated/Verification_pb';
import { isTrading, type Operation } from '@svc-gateway/contract/operation';
import { account, quote, system, trade } from '@svc-gateway/contract/operations';
import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import {
  type Backend,
  BackendFailure,
  type BackendStatus,
  BackendUnsent,
  type BrokerSnapshot,
  type CallContext,
  type CredentialRefresh,
  type HeldAnswer,
  type LifecycleSnapshot,
  type Logger,
  type NotifyPush,
  type PushEvent,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  refusesPassword,
  type TradingTerms,
  type UnsubscribeRefusal,
} from '@svc-gateway/gateway';
import { StreamListeners } from '@svc-gateway/gateway/stream-listeners';
import { ConnectFailure, type Dial, dialTcp, type ProtocolClient } from '@svc-gateway/protocol-client';
import { type ConnectionDeps, EndpointConnection } from './endpoint-connection.js';
import { HistoryQuota } from './history-quota.js';
import type { Login } from './login.js';
import type { BrokerEndpoint, LoginGrant } from './login-answer.js';
import { loginNotice } from './login-notice.js';
import { answerVerification } from './verification.js';

export interface RemoteBackendOptions {
  readonly login: Login;
  readonly clock: Clock;
  readonly logger: Logger;
  /** `--history-kl-quota-max`. */
  readonly historyKlQuotaMax?: number | undefined;
  /** Uniform in [0, 1); for back-off. */
  readonly random?: () => number;
  readonly dial?: Dial;
  /** The private key that the brokerage has too; without it connections are not encrypted. */
  readonly rsaKey?: KeyObject | undefined;
}

const SUCCEEDED = 0;

/**
 * A brokerage that is logged in to: quotes come from its platform, and each account is traded at its broker, over a connection of
 * its own with a life of its own. All of them are authenticated by the session of one login.
 */
export class RemoteBackend implements Backend {
  readonly name = 'remote';
  /** Real money is always assumed, whatever the brokerage reports. */
  readonly simulated = false;
  /** A packet id counts for the connection that it came over. */
  readonly replaysWrites = false;
  readonly #login: Login;
  readonly #logger: Logger;
  readonly #deps: ConnectionDeps;
  /** Connection for quotes. */
  readonly #platform: EndpointConnection;
  /** By their ids, in the order of the login. */
  #brokers = new Map<number, EndpointConnection>();
  readonly #historyQuota: HistoryQuota;
  /** The login that the connections are made under. */
  #followed: LoginGrant | undefined;
  readonly #pushListeners = new Emitter<PushEvent>();
  readonly onPush = this.#pushListeners.on;
  readonly #streamListeners = new StreamListeners();
  readonly onStreams = this.#streamListeners.on;
  readonly #lifecycleListeners = new Emitter<BackendStatus>();
  readonly onLifecycle = this.#lifecycleListeners.on;

  constructor({ login, clock, logger, historyKlQuotaMax, random = Math.random, dial = dialTcp, rsaKey }: RemoteBackendOptions) {
    this.#login = login;
    this.#logger = logger;
    this.#historyQuota = new HistoryQuota(historyKlQuotaMax);
    this.#deps = { login, clock, random, dial, rsaKey, logger, onGrant: (grant) => this.#follow(grant) };
    this.#platform = new EndpointConnection(this.#deps, {
      point: 'the platform',
      label: 'the platform',
      role: 'quotes',
      endpointIn: ({ platform }) => platform,
    });
    this.#listen(this.#platform.client);
    login.onProgress(() => {
      for (const connection of this.#connections()) connection.note(login.progress || 'logging in');
    });
  }

  /** Does not wait for the login: a person may have to answer for it. */
  async start(): Promise<void> {
    await this.#platform.client.start();
  }

  async stop(): Promise<void> {
    for (const { client } of this.#connections()) await client.stop();
    this.#login.stop();
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    switch (operation) {
      case system.verification:
        return answerVerification(this.#login, request as VerificationC2S);
      case quote.getHistoryKlQuota:
        if (this.#followed === undefined) return this.#historyQuota.beforeLogin();
        return this.#askPlatform(operation, request, context).then((answer) => this.#historyQuota.shown(answer));
      case system.getUserInfo:
        return this.#askPlatform(operation, request, context).then((answer) => this.#historyQuota.shownOfUser(answer));
      case quote.getHistoryKline:
        return this.#historyKline(request as HistoryKlC2S, context);
      case account.listAccounts:
        return this.#listAccounts(operation, request, context);
      case trade.unlockTrade:
        return this.#unlock(operation, request, context);
      default:
        return (isTrading(operation) ? this.#brokerFor(request) : this.#platform).client.call(operation, request, context);
    }
  }

  held(operation: Operation, request: Message): HeldAnswer | undefined {
    return this.#platform.client.held(operation, request);
  }

  tradingTerms(security: Security, context: CallContext): TradingTerms | undefined | Promise<TradingTerms | undefined> {
    return this.#platform.client.tradingTerms(security, context);
  }

  exchangeRate(from: string, to: string, context: CallContext): Decimal | undefined | Promise<Decimal | undefined> {
    return this.#platform.client.exchangeRate(from, to, context);
  }

  subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    return this.#platform.client.subscribe(streams);
  }

  unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    return this.#platform.client.unserved(streams);
  }

  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    return this.#platform.client.unsubscribe(streams);
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#platform.client.current(stream);
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    const brokers = [...this.#brokers.values()];
    const unknown = brokers.some(({ client }) => client.accounts === undefined)
      ? undefined
      : accIds.find((accId) => this.#brokerOf(accId) === undefined);
    if (unknown !== undefined) return noSuchAccount(unknown);
    for (const broker of brokers) {
      const answer = await broker.client.subscribeAccounts(accIds.filter((accId) => hasListed(broker, accId)));
      if (answer.retType !== SUCCEEDED) return answer;
    }
    return create(TrdSubAccPush.ResponseSchema, { retType: SUCCEEDED, s2c: {} }) as ResponseMessage;
  }

  notices(): readonly NotifyPush[] {
    return [loginNotice(this.#platform.snapshot, this.#login.awaitsCode)];
  }

  status(): BackendStatus {
    const brokers = [...this.#brokers].map(([brokerId, { label: name, snapshot }]) => ({ brokerId, name, ...snapshot }));
    return { platform: this.#platform.snapshot, brokers };
  }

  /**
   * Operations on an account wait for its broker, all others for the platform. An account that nobody has listed may be at a broker
   * that has not come to it yet.
   */
  readiness(operation: Operation, request: Message): LifecycleSnapshot | BrokerSnapshot | undefined {
    if (operation === quote.getHistoryKlQuota && this.#followed === undefined) return undefined;
    const { platform, brokers } = this.status();
    if (!isTrading(operation) || brokers.length === 0) return isReady(platform) ? undefined : platform;
    const named = accountsNamed(request);
    if (named.length === 0) return brokers.some(isReady) ? undefined : brokers[0];
    const connections = [...this.#brokers.values()];
    const listing = named.map((accId) => connections.findIndex((broker) => hasListed(broker, accId)));
    const unlisted = connections.findIndex(({ client }) => client.accounts === undefined);
    return listing.map((place) => brokers[place === -1 ? unlisted : place]).find((broker) => broker !== undefined && !isReady(broker));
  }

  /** Connections go on under the session that they were made with; the next are made under another. */
  clearCiphers(): void {
    this.#login.renew();
  }

  /** Logs in anew, for what had failed as well. A device check that comes of it is not waited for: it goes on by itself. */
  async refreshCredentials(): Promise<CredentialRefresh> {
    const session = this.#login.session();
    for (const connection of this.#connections()) connection.retry();
    const followed = session.then((grant) => this.#follow(grant));
    const checked = new Promise<'checked'>((resolve) => {
      const look = () => {
        if (this.#login.progress !== '') resolve('checked');
      };
      const stop = this.#login.onProgress(look);
      look();
      followed.finally(stop).catch(() => undefined);
    });
    try {
      return (await Promise.race([followed, checked])) === 'checked' ? 'failed' : 'succeeded';
    } catch (thrown) {
      if (!(thrown instanceof ConnectFailure)) throw thrown;
      this.#logger.warn({ reason: thrown.message }, 'the login could not be made anew; connections go on under the session before');
      return 'failed';
    }
  }

  #connections(): EndpointConnection[] {
    return [this.#platform, ...this.#brokers.values()];
  }

  /** Passes on everything that a connection says. */
  #listen(client: ProtocolClient): void {
    client.onPush((event) => this.#pushListeners.emit(event));
    client.onStreams(this.#streamListeners);
    client.onLifecycle(() => this.#changed());
  }

  #newBroker({ brokerId, name }: BrokerEndpoint): EndpointConnection {
    const broker = new EndpointConnection(this.#deps, {
      point: `broker ${brokerId}`,
      label: name,
      role: 'trading',
      endpointIn: ({ brokers }) => brokers.find((endpoint) => endpoint.brokerId === brokerId),
    });
    this.#listen(broker.client);
    return broker;
  }

  /** Connects to the brokers that a login names, and no more to those that it does not. */
  #follow(grant: LoginGrant): void {
    if (grant === this.#followed) return;
    this.#followed = grant;
    const before = this.#brokers;
    this.#brokers = new Map(
      grant.brokers.map((endpoint) => [endpoint.brokerId, before.get(endpoint.brokerId) ?? this.#newBroker(endpoint)]),
    );
    for (const [brokerId, broker] of before) if (!this.#brokers.has(brokerId)) broker.client.end('the login does not name it any more');
    for (const connection of this.#connections()) connection.follow(grant);
    this.#changed();
  }

  #changed(): void {
    this.#lifecycleListeners.emit(this.status());
  }

  #brokerOf(accId: bigint): EndpointConnection | undefined {
    for (const broker of this.#brokers.values()) if (hasListed(broker, accId)) return broker;
    return undefined;
  }

  /** The broker that answers a request. An account that none has listed is refused by the first that is there, in its own words. */
  #brokerFor(request: Message): EndpointConnection {
    const broker = this.#brokerNamed(request) ?? this.#readyBrokers()[0];
    if (broker === undefined) throw new BackendUnsent('there is no connection to a broker');
    return broker;
  }

  /** By the account of its header, or by its own number. */
  #brokerNamed(request: Message): EndpointConnection | undefined {
    const { brokerId } = request as Message & { readonly brokerId?: number };
    if (brokerId !== undefined) return this.#brokers.get(brokerId);
    const [accId] = accountsNamed(request);
    return accId === undefined ? undefined : this.#brokerOf(accId);
  }

  #readyBrokers(): EndpointConnection[] {
    return [...this.#brokers.values()].filter(({ snapshot }) => isReady(snapshot));
  }

  async #askPlatform(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    return this.#platform.client.call(operation, request, context);
  }

  async #historyKline(request: HistoryKlC2S, context: CallContext): Promise<ResponseMessage> {
    const ask = () => this.#askPlatform(quote.getHistoryKlQuota, create(KlQuotaC2SSchema, { bGetDetail: true }), context);
    const refused = await this.#historyQuota.refusal(request.security, ask);
    return refused ?? this.#platform.client.call(quote.getHistoryKline, request, context);
  }

  /** Accounts of every broker, in the order of the login; of one that is away or goes away, those that it listed last. */
  async #listAccounts(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    const lists = await Promise.all(
      [...this.#brokers.values()].map(async (broker) => {
        try {
          return (await broker.client.call(operation, request, context)) as TrdGetAccList.Response;
        } catch (thrown) {
          if (!(thrown instanceof BackendFailure)) throw thrown;
          return success(broker.client.accounts ?? []);
        }
      }),
    );
    const refused = lists.find(({ retType }) => retType !== SUCCEEDED);
    return (refused ?? success(lists.flatMap(({ s2c }) => s2c?.accList ?? []))) as ResponseMessage;
  }

  /**
   * Each broker has a lock of its own: all that are there are asked, and none more after a wrong password, so that it counts once. One whose
   * firm cannot use a right password keeps no other from being unlocked.
   */
  async #unlock(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    let unlocked: ResponseMessage | undefined;
    let refused: ResponseMessage | undefined;
    for (const broker of this.#readyBrokers()) {
      const answer = await broker.client.call(operation, request, context);
      if (answer.retType === SUCCEEDED) unlocked = answer;
      else if (refusesPassword(answer)) return answer;
      else refused ??= answer;
    }
    const answer = unlocked ?? refused;
    if (answer === undefined) throw new BackendUnsent('there is no connection to a broker');
    return answer;
  }
}

/** Whether a broker listed an account last. */
function hasListed({ client }: EndpointConnection, accId: bigint): boolean {
  return client.accounts?.some(({ accID }) => accID === accId) ?? false;
}

function isReady({ lifecycleState }: LifecycleSnapshot): boolean {
  return lifecycleState === 'ready';
}

/** The accounts that a request is about: its header's, or those of its list. */
function accountsNamed(request: Message): readonly bigint[] {
  const { header, accIDList } = request as Message & { header?: { readonly accID: bigint }; accIDList?: readonly bigint[] };
  return header === undefined ? (accIDList ?? []) : [header.accID];
}

function success(accList: readonly TrdAcc[]): TrdGetAccList.Response {
  return create(TrdGetAccList.ResponseSchema, { retType: SUCCEEDED, s2c: { accList: [...accList] } });
}

function noSuchAccount(accId: bigint): ResponseMessage {
  return create(TrdSubAccPush.ResponseSchema, {
    retType: -1,
    retMsg: unknownAccountText(accId),
    errCode: UNKNOWN_ACCOUNT,
  }) as ResponseMessage;
}
