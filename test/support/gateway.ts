import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, type Message } from '@bufbuild/protobuf';
import { Access, type AuditEvent, AuditLog, Keyring, OrderGates, SteadyTime } from '@svc-gateway/access';
import { type Clock, systemClock } from '@svc-gateway/contract/clock';
import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import type { Operation } from '@svc-gateway/contract/operation';
import { switches } from '@svc-gateway/contract/switches';
import { createLog } from '@svc-gateway/daemon/log';
import {
  type Backend,
  type BackendStatus,
  Gateway,
  type GatewayOptions,
  type LifecycleSnapshot,
  type LifecycleState,
  type PushEvent,
  type QuotePush,
  type ResponseMessage,
  type StreamsListener,
  type TradingTerms,
  type UnsubscribeRefusal,
} from '@svc-gateway/gateway';
import { PageOrigins } from '@svc-gateway/interfaces/common/page-origins';
import { createGrpcServer } from '@svc-gateway/interfaces/grpc';
import { createMcpEndpoint, type McpEndpoint } from '@svc-gateway/interfaces/mcp';
import { createRestServer } from '@svc-gateway/interfaces/rest';
import { createWsEndpoint, WS_PATH } from '@svc-gateway/interfaces/ws';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { GrpcClient } from './grpc-client.js';
import { HttpClient } from './http-client.js';
import { editKey, type KeyWish, makeKey } from './keys.js';
import { PushClient } from './push-client.js';

/** A backend whose answers a test writes: by operation, or `anything`. */
export class ScriptedBackend implements Backend {
  name: Backend['name'] = 'sim';
  simulated = true;
  replaysWrites = true;
  readonly calls: { readonly operation: string; readonly request: Message }[] = [];
  refresh: () => Promise<'succeeded' | 'failed' | 'not_applicable'> = async () => 'not_applicable';
  readonly #listeners = new Set<(status: BackendStatus) => void>();
  #state: LifecycleState = 'ready';

  constructor(
    public answer: (operation: Operation, request: Message) => ResponseMessage | Promise<ResponseMessage> = succeed,
    readonly journal?: Store,
  ) {}

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  call(operation: Operation, request: Message): ResponseMessage | Promise<ResponseMessage> {
    this.calls.push({ operation: operation.name, request });
    return this.answer(operation, request);
  }

  /** Moves the backend's lifecycle. */
  become(state: LifecycleState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(this.status());
  }

  status(): BackendStatus {
    const snapshot = {
      lifecycleState: this.#state,
      lifecycleGeneration: 1,
      reconnectAttempts: 0,
      reconnectSuccesses: 0,
      reconnectFailures: 0,
    };
    return { platform: snapshot, brokers: [] };
  }

  onLifecycle(listener: (status: BackendStatus) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tradingTerms(): TradingTerms {
    return { multiplier: DECIMAL_ONE, currency: 'HKD' };
  }

  exchangeRate(): undefined {
    return undefined;
  }

  async subscribe(): Promise<ResponseMessage> {
    throw new Error('not scripted');
  }

  async unsubscribe(): Promise<UnsubscribeRefusal | undefined> {
    return undefined;
  }

  current(): QuotePush | undefined {
    return undefined;
  }

  async subscribeAccounts(): Promise<ResponseMessage> {
    throw new Error('not scripted');
  }

  onStreams(_listener: StreamsListener): () => void {
    return () => undefined;
  }

  readiness(_operation: Operation, _request: Message): LifecycleSnapshot | undefined {
    return this.#state === 'ready' ? undefined : this.status().platform;
  }

  notices(): [] {
    return [];
  }

  onPush(_listener: (event: PushEvent) => void): () => void {
    return () => undefined;
  }

  refreshCredentials(): Promise<'succeeded' | 'failed' | 'not_applicable'> {
    return this.refresh();
  }
}

/** A success that repeats the request's header and says nothing else. */
export function succeed({ messages }: Operation, request: Message): ResponseMessage {
  const { header } = request as { header?: unknown };
  const order = messages.S2CSchema.fields.some(({ name }) => name === 'orderID') ? { orderID: 1n } : {};
  const s2c = create(messages.S2CSchema, { ...(header === undefined ? {} : { header }), ...order } as Record<string, unknown>);
  return create(messages.ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
}

/** A refusal in these words. */
export function refuse({ messages }: Operation, retMsg: string): ResponseMessage {
  return create(messages.ResponseSchema, { retType: -1, retMsg } as Record<string, unknown>) as ResponseMessage;
}

class AuditedEvents {
  readonly #events: AuditEvent[] = [];
  #wake: () => void = () => undefined;

  hear(event: AuditEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  async find(fits: (event: AuditEvent) => boolean): Promise<AuditEvent> {
    for (;;) {
      const found = this.#events.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export interface ServedGateway {
  readonly gateway: Gateway;
  /** Key texts by their ids. */
  readonly keys: ReadonlyMap<string, string>;
  readonly log: string[];
  readonly url: string;
  readonly mcp: McpEndpoint;
  as(id: string): HttpClient;
  key(id: string): string;
  /** Takes a key out of the keys file and reloads it. */
  revoke(id: string): void;
  /** Changes fields of a key in the keys file and reloads it. */
  change(id: string, fields: Record<string, unknown>): void;
  /** The first audit event that fits, come or to come. */
  audited(fits: (event: AuditEvent) => boolean): Promise<AuditEvent>;
  /** Push connections that are open. */
  pushConnections(): number;
  /** A gRPC client in a process of its own; ended with the gateway. */
  grpc(): GrpcClient;
  /** A push connection of a key; `query` goes into its address. */
  push(id: string, query?: string): Promise<PushClient>;
  stop(): Promise<void>;
}

/** A gateway over a backend of the test's own, with its REST, MCP and gRPC interfaces in front. Plain HTTP: nothing here is about TLS. */
export async function serveGateway(options: {
  readonly backend: Backend;
  readonly keys: Readonly<Record<string, KeyWish>>;
  readonly operations?: readonly Operation[];
  /** Clock of the MCP interface. */
  readonly clock?: Clock;
  /** Clock of the gateway itself. */
  readonly gatewayClock?: Clock;
  readonly store?: Store;
  readonly bounds?: GatewayOptions['bounds'];
  readonly requestTimeoutMs?: number;
}): Promise<ServedGateway> {
  const { backend, keys, operations, clock = systemClock, gatewayClock = systemClock, store = new MemoryStore() } = options;
  const folder = mkdtempSync(join(tmpdir(), 'svc-gateway-'));
  const path = join(folder, 'keys.json');
  const texts = new Map<string, string>();
  for (const [id, wish] of Object.entries(keys)) texts.set(id, await makeKey(path, id, wish, `svc_${id.padEnd(43, '0')}`));
  const keyring = Keyring.open({ path, clock: systemClock });
  if (!keyring.ok) throw new Error(keyring.error.message);
  const log: string[] = [];
  const audited = new AuditedEvents();
  const audit = AuditLog.open({ clock: systemClock, log: (event) => audited.hear(event), report: () => undefined });
  if (!audit.ok) throw new Error(audit.error);
  const logger = createLog({ level: 'debug', target: { write: (line) => log.push(line) }, readable: false });
  const onStoreFailure = (error: unknown) => log.push(String(error));
  const gateway = new Gateway({
    access: new Access({
      keyring: keyring.value,
      gates: new OrderGates({ store, now: systemClock.now(), onStoreFailure }),
      audit: audit.value,
    }),
    backend,
    clock: gatewayClock,
    time: new SteadyTime({ store, clock: gatewayClock }),
    store,
    logger,
    version: 'test',
    switches: new Set(switches),
    pushBacklogBytesMax: 1024 * 1024,
    shutdown: () => undefined,
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
    ...(options.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: options.requestTimeoutMs }),
  });
  const served = operations === undefined ? {} : { operations };
  const onError = (error: Error) => log.push(String(error));
  const mcp = createMcpEndpoint({ gateway, clock, version: 'test', confirm: 'real', onError, ...served });
  const origins = new PageOrigins([]);
  const ws = createWsEndpoint({ gateway, clock: systemClock, origins, onDefect: (error) => log.push(String(error)) });
  const rest = createRestServer({
    gateway,
    origins,
    metricsPublic: false,
    version: 'test',
    mounts: [mcp.mount],
    webSocket: { path: WS_PATH, handshake: (request, socket, head) => void ws.handleUpgrade(request, socket, head) },
    ...served,
  });
  const grpc = createGrpcServer({ gateway, clock: systemClock, ...served });
  const address = { host: '127.0.0.1', port: 0 };
  const url = `http://127.0.0.1:${await rest.listen(address)}`;
  const grpcUrl = `http://127.0.0.1:${await grpc.listen(address)}`;
  const clients: GrpcClient[] = [];
  return {
    gateway,
    keys: texts,
    log,
    url,
    mcp,
    as: (id) => new HttpClient(url, undefined, texts.get(id)),
    audited: (fits) => audited.find(fits),
    key: (id) => texts.get(id) ?? '',
    revoke(id) {
      editKey(path, id, undefined);
      keyring.value.reload();
    },
    change(id, fields) {
      editKey(path, id, fields);
      keyring.value.reload();
    },
    pushConnections: () => gateway.push.connections().length,
    grpc() {
      const client = new GrpcClient(grpcUrl);
      clients.push(client);
      return client;
    },
    push: (id, query = '') =>
      PushClient.open(`${url.replace('http', 'ws')}${WS_PATH}${query}`, { headers: { authorization: `Bearer ${texts.get(id)}` } }),
    async stop() {
      await Promise.all(clients.map((client) => client.stop()));
      gateway.stop();
      await mcp.close();
      await Promise.all([ws.close(), rest.close(), grpc.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
