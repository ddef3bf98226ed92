import { SUBSCRIPTION_QUOTA } from '@svc-gateway/simulator/view/server';
import { type SimServerDeps, sharedServices, USER } from '../deps.js';
import { EndpointServer, type EndpointServerOptions } from '../endpoint-server.js';
import { EndpointFaults } from '../faults/endpoint-faults.js';
import { exchangeActions } from '../faults/exchange-actions.js';
import { faultRoutes } from '../faults/fault-routes.js';
import { WireFaults } from '../faults/wire-faults.js';
import { type JsonRoutes, jsonService } from '../http-service.js';
import { Authority } from '../login/authority.js';
import { DeviceChecks } from '../login/device-checks.js';
import { Devices } from '../login/devices.js';
import { authorityRoutes } from '../login/routes.js';
import { Sessions } from '../login/sessions.js';
import { Ports } from '../ports.js';
import { Subscriptions } from '../subscriptions.js';
import { brokerOnly, ownAccounts, platformOnly } from './broker-rules.js';
import { brokerageActions } from './brokerage-actions.js';
import { brokers } from './brokers.js';

export interface BrokerageServerOptions extends SimServerDeps {
  readonly account: string;
  readonly password: string;
  /** 0 = that of last time, or any. */
  readonly authPort: number;
  readonly platformPort: number;
  /** By broker id; any port where one is missing. */
  readonly brokerPorts: ReadonlyMap<number, number>;
  /** A device code is sent. */
  readonly onDeviceCode: (sent: { readonly account: string; readonly code: string }) => void;
  /** Takes orders for faults at `/faults` of the login service. */
  readonly faultsOverHttp: boolean;
}

/** Addresses of a running server, as its ready line has them. */
export interface BrokerageAddresses {
  /** "http://127.0.0.1:22510". */
  readonly auth: string;
  /** "127.0.0.1:22511". */
  readonly platform: string;
  readonly brokers: readonly { readonly broker_id: number; readonly address: string }[];
}

/** The simulated brokerage as a server: its login service, the platform, and a point for each broker. */
export class BrokerageServer {
  readonly login: Authority;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly faults: EndpointFaults;
  readonly #platform: EndpointServer;
  readonly #brokers: readonly { readonly id: number; readonly name: string; readonly point: EndpointServer }[];
  readonly #http;
  #authPort = 0;

  constructor(private readonly options: BrokerageServerOptions) {
    const { clock, random, store, account, password, accounts, backend, seed, onDefect } = options;
    this.sessions = new Sessions(clock, random);
    this.devices = new Devices(clock, random, store);
    const wire = new WireFaults(seed);
    const shared: Omit<EndpointServerOptions, 'name' | 'rules' | 'accounts'> = {
      ...sharedServices(options),
      subscriptions: new Subscriptions({ backend, clock, ageMsMin: 0 }),
      subscriptionQuota: SUBSCRIPTION_QUOTA,
      faults: wire,
      unknownId: (protoId) => `protocol id ${protoId} is not supported`,
      greet: ({ clientID }) => this.sessions.judge(clientID) ?? USER,
    };
    this.#platform = new EndpointServer({ ...shared, name: 'platform', rules: [platformOnly], accounts: new Set() });
    this.#brokers = brokers.map(({ id, name, keeps }) => {
      const own = new Set(accounts.filter(keeps).map((one) => one.id));
      const rules = [brokerOnly(String(id)), ownAccounts(String(id), own)];
      return { id, name, point: new EndpointServer({ ...shared, name: String(id), rules, accounts: own }) };
    });
    this.faults = new EndpointFaults({ wire, clock, onDefect, points: this.#points });
    this.login = new Authority({
      account,
      password,
      clock,
      sessions: this.sessions,
      devices: this.devices,
      checks: new DeviceChecks(clock, random),
      userId: Number(USER.userId),
      sendCode: (to, code) => options.onDeviceCode({ account: to, code }),
      points: () => ({
        platform: placeOf(this.#platform),
        brokers: this.#brokers.map(({ id, name, point }) => ({ broker_id: id, name, ...placeOf(point) })),
      }),
    });
    const faultsOverHttp: JsonRoutes = options.faultsOverHttp
      ? faultRoutes(this.faults, { ...brokerageActions(this), ...exchangeActions(options.exchange) })
      : {};
    this.#http = jsonService({ ...authorityRoutes(this.login), ...faultsOverHttp }, onDefect);
  }

  /** Opens every listener. Rejects with the system's error where a port cannot be had. */
  async start(): Promise<BrokerageAddresses> {
    const { store, host, authPort, platformPort, brokerPorts, backend, accounts } = this.options;
    await backend.subscribeAccounts(accounts.map(({ id }) => id));
    const ports = new Ports(store);
    const wanted = new Map([...brokerPorts].map(([id, port]) => [String(id), port])).set('platform', platformPort);
    for (const point of this.#points) await ports.bind(point.name, wanted.get(point.name) ?? 0, (port) => point.open(port));
    this.#authPort = await ports.bind('auth', authPort, (port) => this.#http.listen({ host, port }));
    return this.addresses;
  }

  get addresses(): BrokerageAddresses {
    return {
      auth: `http://${this.options.host}:${this.#authPort}`,
      platform: this.#platform.address,
      brokers: this.#brokers.map(({ id, point }) => ({ broker_id: id, address: point.address })),
    };
  }

  /** Answers what is under way, then closes every listener. */
  async stop(): Promise<void> {
    await Promise.all([this.#http.close(), ...this.#points.map((point) => point.close())]);
  }

  get #points(): readonly EndpointServer[] {
    return [this.#platform, ...this.#brokers.map(({ point }) => point)];
  }
}

function placeOf({ host, port }: EndpointServer): { host: string; port: number } {
  return { host, port };
}
