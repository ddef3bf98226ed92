import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Access, AuditLog, Keyring, OrderGates, SteadyTime } from '@svc-gateway/access';
import { createSimBackend } from '@svc-gateway/backends/sim';
import { systemClock } from '@svc-gateway/contract/clock';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import { createLog } from '@svc-gateway/daemon/log';
import { type Backend, Gateway } from '@svc-gateway/gateway';
import { PageOrigins } from '@svc-gateway/interfaces/common/page-origins';
import { CoreWsEndpoint, gatewayTcpService, TcpEndpoint } from '@svc-gateway/interfaces/core';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore } from '@svc-gateway/storage';
import { readRsaKey } from '@svc-gateway/wire';
import { makeKey } from '../../support/keys.js';

/** The core listeners over the simulated world, on ports of this machine. */
export interface Listeners {
  readonly tcpPort: number;
  /** Core TCP whose bodies are encrypted with {@link rsaKey}. */
  readonly encryptedPort: number;
  readonly rsaKey: KeyObject;
  readonly websocketPort: number;
  /** Text of the key with which WebSockets are opened. */
  readonly keyText: string;
  /** Logged defects. */
  readonly defects: readonly string[];
  /** Sessions and distinct subscriptions that are open. */
  open(): { readonly sessions: number; readonly subscriptions: number };
  stop(): Promise<void>;
}

const SCOPES = ['qot:read', 'qot:write', 'acc:read', 'trade:simulate', 'trade:unlock', 'admin', 'auth:setup', 'metrics:read'] as const;
const PINO_ERROR = 50;
/** Small, so that who does not read is found out soon. */
const BACKLOG_BYTES_MAX = 1024 * 1024;

/** @param tamper may put something broken behind the listeners. */
export async function serveListeners(tamper: (backend: Backend) => void = () => undefined): Promise<Listeners> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-fuzz-'));
  const path = join(folder, 'keys.json');
  const keyText = await makeKey(path, 'desk', { scopes: SCOPES });
  const keyring = Keyring.open({ path, clock: systemClock });
  if (!keyring.ok) throw new Error(keyring.error.message);
  const audit = AuditLog.open({ clock: systemClock, log: () => undefined, report: (problem) => defects.push(problem) });
  if (!audit.ok) throw new Error(audit.error);

  const defects: string[] = [];
  const write = (line: string) => {
    if ((JSON.parse(line) as { level: number }).level >= PINO_ERROR) defects.push(line);
  };
  const logger = createLog({ level: 'error', target: { write }, readable: false });
  const store = new MemoryStore();
  const onStoreFailure = (error: unknown) => defects.push(String(error));
  const simulation = createSimulation({ clock: systemClock, seed: 1, store, calendarMode: 'open' });
  const backend = createSimBackend({ simulation, clock: systemClock, logger });
  tamper(backend);
  const gateway = new Gateway({
    access: new Access({
      keyring: keyring.value,
      gates: new OrderGates({ store, now: systemClock.now(), onStoreFailure }),
      audit: audit.value,
    }),
    backend,
    clock: systemClock,
    time: new SteadyTime({ store, clock: systemClock }),
    store,
    logger,
    version: 'fuzz',
    switches: new Set(['--enable-trading']),
    pushBacklogBytesMax: BACKLOG_BYTES_MAX,
    shutdown: () => undefined,
  });
  await backend.start();

  let requests = 0;
  const services = {
    gateway,
    clock: systemClock,
    ids: new ProtocolIds(),
    nextRequestId: () => `fuzz-${++requests}`,
    onDefect: (error: unknown) => defects.push(error instanceof Error ? String(error.stack) : String(error)),
  };
  const rsaKey = newRsaKey();
  const credential = { kind: 'id', id: 'desk' } as const;
  const tcp = new TcpEndpoint({ service: gatewayTcpService(services, credential), ...services });
  const encrypted = new TcpEndpoint({ service: gatewayTcpService(services, credential), ...services, rsaKey });
  const websocket = new CoreWsEndpoint({ services, origins: new PageOrigins([]) });
  const endpoints = [tcp, encrypted, websocket];
  const address = { host: '127.0.0.1', port: 0 };
  return {
    tcpPort: await tcp.listen(address),
    encryptedPort: await encrypted.listen(address),
    websocketPort: await websocket.listen(address),
    rsaKey,
    keyText,
    defects,
    open: () => ({ sessions: gateway.push.connections().length, subscriptions: gateway.push.subscriptions.usedQuota }),
    async stop() {
      await Promise.all(endpoints.map((endpoint) => endpoint.finish()));
      gateway.stop();
      await Promise.all(endpoints.map((endpoint) => endpoint.close()));
      await backend.stop();
      audit.value.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function newRsaKey(): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const read = readRsaKey(privateKey);
  if (!read.ok) throw new Error(read.message);
  return read.key;
}
