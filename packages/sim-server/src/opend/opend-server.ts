import type { KeyObject } from 'node:crypto';
import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import { GtwEventType } from '@svc-gateway/contract/generated/Notify_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { NotifyPush } from '@svc-gateway/gateway/backend';
import { type SimServerDeps, sharedServices, USER } from '../deps.js';
import { EndpointServer } from '../endpoint-server.js';
import { EndpointFaults } from '../faults/endpoint-faults.js';
import { exchangeActions } from '../faults/exchange-actions.js';
import { faultRoutes } from '../faults/fault-routes.js';
import { WireFaults } from '../faults/wire-faults.js';
import { jsonService } from '../http-service.js';
import { Ports } from '../ports.js';
import type { Rule } from '../rule.js';
import { Subscriptions } from '../subscriptions.js';
import { logins, publishedIds } from './login-rules.js';
import { connectionNotice, eventNotice, programStatusNotice } from './notices.js';
import { opendActions } from './opend-actions.js';
import { frequency, historyQuota, sizes, subscriptionQuota } from './quota-rules.js';
import { loggedIn, type ServerState } from './server-state.js';
import { firstData, subscribedFirst, subscriptionAge } from './subscription-rules.js';
import { type Language, texts } from './texts.js';
import { packetIds, simulatedTrading, type TradeLock, unlocked } from './trading-rules.js';

export interface OpendServerOptions extends SimServerDeps {
  /** 0 = that of last time, or any. */
  readonly apiPort: number;
  /** Clients that have it too are spoken to in cipher. */
  readonly rsaKey?: KeyObject | undefined;
  /** Units of the subscription quota. */
  readonly subscriptionQuota: number;
  readonly language: Language;
  readonly tradeLock: TradeLock;
  /** Port on which faults are ordered over HTTP; undefined = not at all. */
  readonly faultsPort?: number | undefined;
}

export interface OpendAddresses {
  /** "127.0.0.1:11111". */
  readonly api: string;
  /** "http://127.0.0.1:22510", where faults are ordered over HTTP. */
  readonly faults?: string;
}

const CONNECTIONS_MAX = 128;
const SUBSCRIPTION_MS_MIN = 60_000;

/** The simulated brokerage as an upstream daemon that has logged in by itself: one port, and all of its habits. */
export class OpendServer {
  readonly faults: EndpointFaults;
  readonly state: ServerState = loggedIn();
  readonly #rules: readonly Rule[];
  readonly #subscriptions: Subscriptions;
  readonly #point: EndpointServer;
  readonly #http;
  #faultsPort = 0;

  constructor(private readonly options: OpendServerOptions) {
    const { backend, clock, accounts, seed, onDefect, language, rsaKey, tradeLock } = options;
    const said = texts[language];
    this.#subscriptions = new Subscriptions({ backend, clock, ageMsMin: SUBSCRIPTION_MS_MIN });
    const simulated = new Set(accounts.filter(({ environment }) => environment === 'simulate').map(({ id }) => id));
    this.#rules = [
      publishedIds(said),
      logins(this.state, said),
      sizes,
      frequency(said),
      subscribedFirst(this.#subscriptions, said),
      subscriptionAge(this.#subscriptions, said),
      subscriptionQuota(this.#subscriptions, options.subscriptionQuota, said),
      historyQuota(backend, said),
      simulatedTrading(simulated, said),
      unlocked(tradeLock, said),
      packetIds(),
      firstData(this.#subscriptions, this.state, clock),
    ];
    const wire = new WireFaults(seed);
    this.#point = new EndpointServer({
      ...sharedServices(options),
      name: 'api',
      rules: this.#rules,
      accounts: new Set(accounts.map(({ id }) => id)),
      subscriptions: this.#subscriptions,
      subscriptionQuota: options.subscriptionQuota,
      faults: wire,
      unknownId: () => said.unknownId,
      greet: () => (this.state.awaitsCode ? new Rejection('backend.not_ready', said.awaitsCode) : USER),
      connectionsMax: CONNECTIONS_MAX,
      ...(rsaKey === undefined ? {} : { rsaKey }),
    });
    this.faults = new EndpointFaults({ wire, points: [this.#point], clock, onDefect });
    const actions = { ...opendActions(this), ...exchangeActions(options.exchange) };
    this.#http = options.faultsPort === undefined ? undefined : jsonService(faultRoutes(this.faults, actions), onDefect);
  }

  /** Opens the port. Rejects with the system's error where it cannot be had. */
  async start(): Promise<OpendAddresses> {
    const { backend, accounts, store, apiPort, faultsPort = 0, host } = this.options;
    await backend.subscribeAccounts(accounts.map(({ id }) => id));
    const ports = new Ports(store);
    await ports.bind('api', apiPort, (port) => this.#point.open(port));
    const http = this.#http;
    if (http !== undefined) this.#faultsPort = await ports.bind('faults', faultsPort, (port) => http.listen({ host, port }));
    return this.addresses;
  }

  get addresses(): OpendAddresses {
    const faults = this.#http === undefined ? {} : { faults: `http://${this.options.host}:${this.#faultsPort}` };
    return { api: this.#point.address, ...faults };
  }

  /** Answers what is under way, then closes the port. */
  async stop(): Promise<void> {
    await Promise.all([this.#http?.close(), this.#point.close()]);
  }

  /** Marks the logins at the quote and the trade server as lost or restored, with a notice. */
  setLogins(quotes: boolean, trading: boolean): void {
    this.state.quotesLoggedIn = quotes;
    this.state.tradingLoggedIn = trading;
    this.notify(connectionNotice(quotes, trading));
  }

  /**
   * Another login takes this one's place: it is told to all, every connection ends, and nothing is logged in until
   * {@link logInAgain}.
   */
  kickOut(): void {
    this.notify(eventNotice(GtwEventType.GtwEventType_KickedOut, 'logged in elsewhere'));
    this.state.programStatus = ProgramStatusType.ProgramStatusType_ForceLogout;
    this.state.quotesLoggedIn = false;
    this.state.tradingLoggedIn = false;
    this.notify(programStatusNotice(ProgramStatusType.ProgramStatusType_ForceLogout));
    for (const client of [...this.#point.clients]) client.end();
  }

  logInAgain(): void {
    this.state.programStatus = ProgramStatusType.ProgramStatusType_Ready;
    this.setLogins(true, true);
    this.notify(programStatusNotice(ProgramStatusType.ProgramStatusType_Ready));
  }

  /** The process ends and starts again after so many milliseconds: subscriptions, the unlock and every connection are gone. */
  async restart(downMs = 0): Promise<void> {
    await this.#point.down();
    await this.#subscriptions.forget();
    for (const rule of this.#rules) rule.restarted?.();
    const { clock, onDefect } = this.options;
    if (downMs === 0) await this.#point.open();
    else clock.after(downMs, () => void this.#point.open().catch(onDefect));
  }

  /** It lost its own server, and with it what was subscribed to, without a word: connections go on, pushes do not. */
  forgetSubscriptions(): Promise<void> {
    return this.#subscriptions.forget();
  }

  /** Pushes a notice to all connections that want notices. */
  notify(notice: NotifyPush): void {
    for (const client of this.#point.clients) if (client.wantsNotices) client.push(notice);
  }
}
