import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createSimBackend } from '@svc-gateway/backends/sim';
import { type Clock, systemClock } from '@svc-gateway/contract/clock';
import { createSimulation, type RunningSimulation, type SimulationOptions } from '@svc-gateway/simulator/simulation';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { BrokerageServer } from '../../packages/sim-server/src/brokerage/brokerage-server.js';
import { OpendServer } from '../../packages/sim-server/src/opend/opend-server.js';
import type { Language } from '../../packages/sim-server/src/opend/texts.js';

export interface SimServeOptions {
  /** Clock of the server and its rules. The simulation keeps it too, unless it has one of its own. */
  readonly clock?: Clock;
  /** Store that a restarted server finds; default empty. */
  readonly store?: Store;
  readonly seed?: string;
  readonly simulation?: Partial<SimulationOptions>;
}

export const ACCOUNT = '10001';
export const PASSWORD = 'simulated';

/** `svcd sim serve` in this process: login service, platform and brokers at any free port, with its faults at hand. */
export class SimServe {
  readonly codes: { readonly account: string; readonly code: string }[] = [];
  readonly defects: unknown[] = [];
  #server!: BrokerageServer;
  #simulation!: RunningSimulation;
  #stopBackend: () => Promise<void> = async () => undefined;
  readonly #waiting: ((code: string) => void)[] = [];
  readonly #store: Store;

  private constructor(readonly options: SimServeOptions) {
    this.#store = options.store ?? new MemoryStore();
  }

  static async start(options: SimServeOptions = {}): Promise<SimServe> {
    const served = new SimServe(options);
    await served.boot();
    return served;
  }

  /** "http://127.0.0.1:…": `--auth-url`. */
  get authUrl(): string {
    return this.#server.addresses.auth;
  }

  /** "127.0.0.1:…". */
  get platform(): string {
    return this.#server.addresses.platform;
  }

  /** "127.0.0.1:…" of broker 1001, 1007 or 1008. */
  broker(id: number): string {
    return this.#server.addresses.brokers.find((broker) => broker.broker_id === id)?.address ?? '';
  }

  /** Disturbed frames, cut connections, points that are down: "platform", "1001", "1007", "1008". */
  get faults(): BrokerageServer['faults'] {
    return this.#server.faults;
  }

  /** `login.order(ret_type, times)`. */
  get login(): BrokerageServer['login'] {
    return this.#server.login;
  }

  /** `sessions.expireAll()`. */
  get sessions(): BrokerageServer['sessions'] {
    return this.#server.sessions;
  }

  /** `devices.expireAll()`: tickets. */
  get devices(): BrokerageServer['devices'] {
    return this.#server.devices;
  }

  get simulation(): RunningSimulation {
    return this.#simulation;
  }

  /** The next device code that is sent. */
  nextCode(): Promise<string> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A session key of a device of its own: `clientID` is `svc:` and this. */
  async session(deviceId = 'test-device'): Promise<string> {
    const device = { account: ACCOUNT, device_id: deviceId };
    const login = async (change: object) => {
      const { answer } = await postJson(`${this.authUrl}/authority/`, loginFields({ ...device, ...change }), VERSION);
      return answer as { device_verify_sig?: string; session_key?: string };
    };
    const timestamp = Math.floor((this.options.clock ?? systemClock).now() / 1000);
    const { device_verify_sig } = await login({ timestamp });
    const code = this.nextCode();
    await postJson(`${this.authUrl}/authority/device-code`, { ...device, device_verify_sig });
    const { session_key } = await login({ timestamp, device_verify_sig, verify_code: await code });
    if (session_key === undefined) throw new Error('the login failed');
    return session_key;
  }

  /** Starts it on its store, at the ports that it had. */
  async boot(): Promise<void> {
    const { clock = systemClock, seed = 'test' } = this.options;
    const { backend, simulation } = await startBackend(this.options, this.#store, this.defects);
    this.#simulation = simulation;
    this.#stopBackend = () => backend.stop();
    this.#server = new BrokerageServer({
      backend,
      accounts: simulation.brokerage.accounts,
      exchange: simulation.brokerage.exchange,
      store: this.#store,
      clock,
      random: randomBytes,
      seed,
      host: '127.0.0.1',
      onDefect: (error) => this.defects.push(error),
      account: ACCOUNT,
      password: PASSWORD,
      authPort: 0,
      platformPort: 0,
      brokerPorts: new Map(),
      onDeviceCode: (sent) => {
        this.codes.push(sent);
        for (const resolve of this.#waiting.splice(0)) resolve(sent.code);
      },
      faultsOverHttp: true,
    });
    await this.#server.start();
  }

  /** Dies: connections are cut, ports closed. {@link boot} starts it again. */
  async halt(): Promise<void> {
    await this.#server.faults.down();
    await this.#server.stop();
    await this.#stopBackend();
  }

  async stop(): Promise<void> {
    await this.halt();
    await this.#store.close();
  }
}

export interface SimOpendOptions extends SimServeOptions {
  readonly subscriptionQuota?: number;
  readonly language?: Language;
  /** Both sides have it: bodies are encrypted. */
  readonly rsaKey?: KeyObject;
}

/** `svcd sim serve --profile opend` in this process: a strict upstream, with its faults at hand. */
export class SimOpend {
  private constructor(
    readonly server: OpendServer,
    readonly simulation: RunningSimulation,
    readonly defects: readonly unknown[],
    private readonly end: () => Promise<void>,
  ) {}

  static async start(options: SimOpendOptions = {}): Promise<SimOpend> {
    const { clock = systemClock, store = new MemoryStore(), seed = 'test', subscriptionQuota = 300, language = 'zh', rsaKey } = options;
    const defects: unknown[] = [];
    const { backend, simulation } = await startBackend(options, store, defects);
    const server = new OpendServer({
      backend,
      accounts: simulation.brokerage.accounts,
      exchange: simulation.brokerage.exchange,
      store,
      clock,
      random: randomBytes,
      seed,
      host: '127.0.0.1',
      onDefect: (error) => defects.push(error),
      apiPort: 0,
      subscriptionQuota,
      language,
      tradeLock: simulation.brokerage.lock,
      faultsPort: 0,
      ...(rsaKey === undefined ? {} : { rsaKey }),
    });
    await server.start();
    return new SimOpend(server, simulation, defects, async () => {
      await server.faults.down();
      await server.stop();
      await backend.stop();
      await store.close();
    });
  }

  /** "127.0.0.1:…". */
  get address(): string {
    return this.server.addresses.api;
  }

  /** Disturbed frames, cut connections, the port down; `server` has kick-outs, restarts and logins. */
  get faults(): OpendServer['faults'] {
    return this.server.faults;
  }

  stop(): Promise<void> {
    return this.end();
  }
}

async function startBackend(options: SimServeOptions, store: Store, defects: unknown[]) {
  const { clock = systemClock, seed = 'test' } = options;
  const simulation = createSimulation({ clock, seed, store, calendarMode: 'open', ...options.simulation });
  const backend = createSimBackend({ simulation, clock, logger: { error: (details) => defects.push(details) } });
  await backend.start();
  return { backend, simulation };
}

const VERSION = { 'x-svc-client-version': '800' };

/** Posts a JSON body (or a text as it is) over a connection of its own. */
export async function postJson(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const sent = request(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json', ...headers } });
  sent.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
  return { status: response.statusCode ?? 0, answer: JSON.parse(Buffer.concat(parts).toString()) as unknown };
}

/** The 15 fields of a login, signed as decisions say; written apart from the server's own code. */
export function loginFields(change: Readonly<Record<string, unknown>> = {}, password = PASSWORD): Record<string, unknown> {
  const account = String(change.account ?? ACCOUNT);
  const fields: Record<string, unknown> = {
    account,
    account_kind: 'id',
    pwd_digest: createHash('sha256').update(`${account}:${password}`).digest('hex'),
    platform: 'sim',
    device_id: 'device-1',
    device_name: 'test',
    os: 'linux',
    client_version: '800',
    lang: 'en',
    timestamp: Math.floor(Date.now() / 1000),
    nonce: randomBytes(16).toString('hex'),
    verify_code: '',
    device_verify_sig: '',
    tgtgt: '',
    ...change,
  };
  const names = Object.keys(fields).sort();
  const text = names.map((name) => `${name}=${fields[name]}`).join('&');
  const sign = createHmac('sha256', String(fields.pwd_digest)).update(text).digest('hex');
  return { ...fields, sign };
}
