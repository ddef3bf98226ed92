import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, ManualClock } from '@svc-gateway/contract/clock';
import { type Daemon, startDaemon } from '@svc-gateway/daemon/daemon';
import { createLog } from '@svc-gateway/daemon/log';
import { planStartup } from '@svc-gateway/daemon/startup';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { type BackendBehind, createBackendBehind } from './backend-behind.js';
import { GrpcClient } from './grpc-client.js';
import { HttpClient } from './http-client.js';
import { type KeyWish, makeKey } from './keys.js';
import { McpClient, type McpClientOptions } from './mcp-client.js';
import { networkClock } from './network-clock.js';
import { PushClient } from './push-client.js';

export interface TestDaemonOptions<Id extends string> {
  /** Keys by id. With them the daemon runs in scope mode with TLS, without in legacy mode over plain HTTP. */
  readonly keys?: Readonly<Record<Id, KeyWish>>;
  readonly flags?: readonly string[];
  /** Environment variables beside those of the site. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Clock of the simulation alone. */
  readonly simulationClock?: Clock;
}

/** A line of the audit trail. */
export type AuditLine = Record<string, unknown>;

/** Where a daemon under test keeps its things, and how its callers reach it. */
export class TestSite<Id extends string = string> {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
  readonly keysPath = join(this.folder, 'config', 'keys.json');
  readonly auditPath = join(this.folder, 'audit.jsonl');
  readonly keys = {} as Record<Id, string>;
  readonly ca: string | undefined;
  /** The pair that the daemon is given. */
  tls = inject('tls');
  readonly #connections: PushClient[] = [];
  readonly #grpcClients: GrpcClient[] = [];
  readonly #models: McpClient[] = [];
  url = '';
  grpcUrl = '';

  constructor(readonly scopeMode: boolean) {
    this.ca = scopeMode ? readFileSync(this.tls.cert, 'utf8') : undefined;
  }

  /** Flags that every daemon under test gets. */
  get flags(): string[] {
    const { cert, key } = this.tls;
    const scope = this.scopeMode ? ['--rest-keys-file', this.keysPath, '--rest-tls-cert', cert, '--rest-tls-key', key] : [];
    return ['--rest-port', '0', '--audit-log', this.auditPath, '--log-level', 'debug', ...scope];
  }

  /** The certificate that proves the daemon to its callers in scope mode. */
  get caFile(): string {
    return this.tls.cert;
  }

  get variables(): Record<string, string> {
    return {
      SVC_GRPC_PORT: '0',
      SVC_WEBSOCKET_PORT: '0',
      SVC_API_PORT: '0',
      SVC_CONFIG_DIR: join(this.folder, 'config'),
      SVC_STATE_DIR: join(this.folder, 'state'),
    };
  }

  async addKey(id: Id, wish: KeyWish): Promise<string> {
    this.keys[id] = await makeKey(this.keysPath, id, wish);
    return this.keys[id];
  }

  /** A client with the key of this id, or with none. */
  as(id?: Id): HttpClient {
    return this.withKey(id === undefined ? undefined : this.keys[id]);
  }

  withKey(keyText: string | undefined): HttpClient {
    return new HttpClient(this.url, this.ca, keyText);
  }

  /** Opens `/ws`; closed when the daemon is stopped. */
  async push(id?: Id, query = ''): Promise<PushClient> {
    const headers = id === undefined ? {} : { authorization: `Bearer ${this.keys[id]}` };
    return this.pushAt(`/ws${query}`, headers);
  }

  async pushAt(path: string, headers: Record<string, string> = {}): Promise<PushClient> {
    const url = `${this.url.replace(/^http/, 'ws')}${path}`;
    const client = await PushClient.open(url, { headers, ...(this.ca === undefined ? {} : { ca: this.ca }) });
    this.#connections.push(client);
    return client;
  }

  /** Opens an MCP client with the key of this id, or with none; closed when the daemon is stopped. */
  async mcp(id?: Id, options: McpClientOptions = {}): Promise<McpClient> {
    const client = await McpClient.open(this, { ...options, keyText: id === undefined ? undefined : this.keys[id] });
    this.#models.push(client);
    return client;
  }

  /** A gRPC client in a process of its own; ended when the daemon is stopped. */
  grpc(channel?: Readonly<Record<string, number>>): GrpcClient {
    const client = new GrpcClient(this.grpcUrl, this.ca, channel);
    this.#grpcClients.push(client);
    return client;
  }

  /** The whole lines: the last may be being written. */
  auditLines(path = this.auditPath): AuditLine[] {
    const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as AuditLine);
  }

  /** The lines as they are in the file. */
  auditTexts(path = this.auditPath): string[] {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  async leave(): Promise<void> {
    const clients = [...this.#connections, ...this.#models.splice(0)];
    await Promise.all([...clients.map((client) => client.close()), ...this.#grpcClients.map((client) => client.stop())]);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A daemon in this process, composed as `svcd` composes it. */
export class TestDaemon<Id extends string = string> extends TestSite<Id> {
  readonly log: string[] = [];
  readonly shutdownRequests: string[] = [];
  #daemon: Daemon | undefined;
  #upstream: BackendBehind | undefined;

  static async start<Id extends string>(options: TestDaemonOptions<Id> = {}): Promise<TestDaemon<Id>> {
    const test = new TestDaemon<Id>(options.keys !== undefined);
    await test.#begin(options);
    return test;
  }

  /** One for all tests of a file or of a `describe`: it starts before them and stops after them. */
  static forAll<Id extends string>(options: TestDaemonOptions<Id> = {}): TestDaemon<Id> {
    const test = new TestDaemon<Id>(options.keys !== undefined);
    beforeAll(() => test.#begin(options));
    afterAll(() => test.stop());
    return test;
  }

  async #begin({ keys, ...options }: TestDaemonOptions<Id>): Promise<void> {
    for (const [id, wish] of Object.entries<KeyWish>(keys ?? {})) await this.addKey(id as Id, wish);
    await this.boot(options);
  }

  get daemon(): Daemon {
    if (this.#daemon === undefined) throw new Error('the daemon is not running');
    return this.#daemon;
  }

  /** Starts the daemon on this site; a second start finds the state of the first. */
  async boot(options: Omit<TestDaemonOptions<Id>, 'keys'> = {}): Promise<void> {
    const { variables = {}, simulationClock } = options;
    this.#upstream ??= await createBackendBehind(options.flags ?? []);
    const flags = (await this.#upstream?.boot(options)) ?? options.flags ?? [];
    const environment = { variables: { ...this.variables, ...variables }, home: this.folder, cwd: this.folder, platform: process.platform };
    const startup = planStartup([...this.flags, ...flags], environment);
    // Where the simulation is elsewhere, its time is: a network that runs faster than the world would be no network.
    const clock = this.#upstream === undefined || options.clock instanceof ManualClock ? options.clock : undefined;
    if (startup.kind !== 'run') throw new Error(startup.text);
    const logger = createLog({ level: 'debug', target: { write: (line) => this.log.push(line) }, readable: false });
    this.#daemon = await startDaemon({
      settings: startup.settings,
      logger,
      requestShutdown: (reason) => this.shutdownRequests.push(reason),
      tradePassword: async () => variables.SVC_TRADE_PWD,
      ...(clock === undefined ? {} : { clock }),
      ...(this.#upstream !== undefined && clock instanceof ManualClock ? { backendClock: networkClock(clock) } : {}),
      ...(simulationClock === undefined ? {} : { simulationClock }),
    });
    this.url = this.#daemon.restUrl;
    this.grpcUrl = this.#daemon.grpcUrl ?? '';
    if (this.#upstream === undefined) return;
    this.#upstream.admit?.(this.#daemon);
    await untilConnected(this.#daemon);
  }

  /** The audit trail so far. */
  async audit(): Promise<AuditLine[]> {
    await this.daemon.access.audit.flush();
    return this.auditLines();
  }

  /** Ends the daemon and keeps the site. */
  async halt(): Promise<void> {
    await this.leave();
    await this.#daemon?.stop();
    this.#daemon = undefined;
  }

  async stop(): Promise<void> {
    await this.halt();
    await this.#upstream?.stop();
    this.remove();
  }
}

/** Resolves when every connection of a daemon's backend is ready. */
export async function untilConnected({ gateway, backend }: Daemon): Promise<void> {
  if (gateway.readiness.awaited() === undefined) return;
  await new Promise<void>((resolve) => {
    const stop = backend.onLifecycle(() => {
      if (gateway.readiness.awaited() !== undefined) return;
      stop();
      resolve();
    });
  });
}

/** Keeps what a test starts until the test is over, and stops it then. */
export function stoppedAfterEach(): <D extends { stop(): Promise<void> }>(started: D) => D {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop();
  });
  return (started) => {
    running.push(started);
    return started;
  };
}
