import { Access, AuditLog, formatLoadError, Keyring, OrderGates, type Result, SteadyTime } from '@svc-gateway/access';
import type { Login } from '@svc-gateway/backends/remote';
import { type Clock, systemClock } from '@svc-gateway/contract/clock';
import { type Switch, switches } from '@svc-gateway/contract/switches';
import { toolsetsOf } from '@svc-gateway/contract/toolsets';
import { packageFolder, packageVersion } from '@svc-gateway/control/version';
import { type Backend, Gateway, type TradePasswordSource } from '@svc-gateway/gateway';
import { PageOrigins } from '@svc-gateway/interfaces/common/page-origins';
import { createGrpcServer, type GrpcServer } from '@svc-gateway/interfaces/grpc';
import { createMcpEndpoint } from '@svc-gateway/interfaces/mcp';
import { createRestServer, type RestServer } from '@svc-gateway/interfaces/rest';
import { createWsEndpoint, WS_PATH } from '@svc-gateway/interfaces/ws';
import { forgetAll } from '@svc-gateway/simulator/simulation';
import { descriptorReserve } from '@svc-gateway/storage';
import { auditToLog } from './audit-to-log.js';
import { createBackend } from './backends.js';
import { openControl } from './control.js';
import { createCoreListeners, loadApiRsaKey } from './core-listeners.js';
import { connectionShares, descriptorLimit } from './descriptors.js';
import type { Logger } from './log.js';
import { MemoryGuard } from './memory-guard.js';
import { printedHost } from './printed-host.js';
import { auditStep, type Certificate, certificateOf, keysStep } from './reload-steps.js';
import { type Reloaded, Reloader } from './reloader.js';
import { flagOf, type SettingName, type Settings } from './settings-table.js';
import { openState } from './state.js';
import { loadTlsMaterial } from './tls.js';
import { tradePassword } from './trade-password.js';

export interface DaemonOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  /** Begins the shutdown that an administrator requested over REST. */
  readonly requestShutdown: (reason: string) => void;
  /** Clock of the daemon itself; the simulation's own follows `--sim-clock`. */
  readonly clock?: Clock;
  /** Clock for the connection to a brokerage and for calls over it; the daemon's own by default. */
  readonly backendClock?: Clock;
  /** Clock of the simulation as far as `--sim-clock` leaves it open; the daemon's own by default. */
  readonly simulationClock?: Clock;
  /** For the unlock tool: by default the variable `SVC_TRADE_PWD` or the credential store. */
  readonly tradePassword?: TradePasswordSource;
  /** Lines of the log that were never written. */
  readonly logLinesLost?: () => number;
  /**
   * Makes what the daemon runs with and does not have yet. Called with the state folder locked, before the certificate and the keys
   * file are read: a start that is refused for the sake of another daemon has changed nothing. The error says what to correct.
   */
  readonly prepare?: (() => Promise<Result<unknown, string>>) | undefined;
}

export interface Daemon {
  readonly gateway: Gateway;
  readonly backend: Backend;
  readonly access: Access;
  /** Login of a brokerage, where a code can be entered. */
  readonly login: Login | undefined;
  /** "https://127.0.0.1:22499". */
  readonly restUrl: string;
  /** Public URL of REST: the reverse proxy's address, or {@link restUrl}. */
  readonly publicUrl: string;
  /** "https://127.0.0.1:22500"; undefined where it is switched off. */
  readonly grpcUrl: string | undefined;
  /** The core WebSocket: "wss://127.0.0.1:22501"; undefined where it is switched off. */
  readonly websocketUrl: string | undefined;
  /** Core TCP: "127.0.0.1:11111"; undefined where it is switched off. */
  readonly apiAddress: string | undefined;
  /**
   * Takes up the keys file and the certificate, and goes on in a new audit file. What cannot be taken up leaves in force what was,
   * and is tried again. Resolves when the first attempt is over.
   */
  reload(): Promise<Reloaded>;
  /** Refuses new requests, answers those under way, and puts everything on disk. */
  stop(): Promise<void>;
}

/** Problem that keeps the daemon from starting, for the operator to correct. */
export class StartProblem extends Error {}

/**
 * Composes and starts the daemon: the one place that knows every part. The state folder is locked first. What else an operator
 * can have got wrong (the certificate, the keys file, the audit file) is looked at before anything is started; it throws
 * {@link StartProblem}.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { settings, logger, requestShutdown, clock = systemClock, backendClock = clock } = options;
  descriptorReserve.hold();
  const { stateDir, configDir, acceptRestoredState: acceptRestored } = settings;
  const state = await openState({ stateDir, configDir, acceptRestored, clock, logger });
  if (!state.ok) throw new StartProblem(state.error);
  const { store, restored } = state.value;
  const undo: (() => void | Promise<void>)[] = [() => state.value.close()];
  try {
    const prepared = await options.prepare?.();
    if (prepared?.ok === false) throw new StartProblem(prepared.error);
    const tls = loadTls(settings, clock, logger);
    const keyring = openKeyring(settings, clock);
    checkApiKey(settings, keyring);
    const rsaKey = loadApiRsaKey(settings);
    if (!rsaKey.ok) throw new StartProblem(rsaKey.error);
    const audit = openAudit(settings, clock, logger);
    // Last: what the others end with may still be audited.
    undo.push(() => audit.close());
    const onStoreFailure = (error: unknown) => logger.error({ err: error }, 'the database refused a write');
    const time = new SteadyTime({ store, clock });
    undo.unshift(() => time.stop());
    const steadyNow = () => time.now();
    const gates = new OrderGates({ store, flagLimits: settings.limits, now: steadyNow(), steadyNow, onStoreFailure });
    const access = new Access({ keyring, gates, audit });
    const made = await createBackend({ settings, store, clock: backendClock, simulationClock: options.simulationClock ?? clock, logger });
    if (!made.ok) throw new StartProblem(made.error);
    const { backend, login, recorder } = made.value;
    if (recorder !== undefined) undo.unshift(() => recorder.close());
    const takesTls: TakesTls[] = [];
    const takeUp = (pair: TlsPair) => {
      for (const listener of takesTls) listener.setTls(pair);
    };
    const certificate = certificateOf(settings, tls, { clock, logger, access, takeUp });
    const reloader = createReloader(access, certificate, clock, logger);
    undo.unshift(() => reloader.stop());
    const reloading = () => reloader.reload('reload');
    const memory = new MemoryGuard({ clock: systemClock, empty: forgetAll });
    memory.start();
    undo.unshift(() => memory.stop());
    const gateway = new Gateway({
      access,
      isShortOfMemory: (underWay) => memory.isShort(underWay),
      backend,
      clock,
      backendClock,
      time,
      store,
      logger,
      version: packageVersion,
      switches: switchesOf(settings),
      ...(restored === undefined ? {} : { tradingHalt: restored }),
      pushBacklogBytesMax: settings.wsMaxBacklog,
      bounds: {
        connections: settings.maxConnectionsPerKey,
        refusalsPerSecond: settings.maxRefusalsPerSecond,
        idempotencyKeys: settings.maxIdempotencyKeys,
        calls: settings.maxCallsPerKey,
        waits: settings.maxWaitsPerKey,
        subscriptions: settings.maxSubscriptionsPerKey ?? undefined,
      },
      requestTimeoutMs: settings.requestTimeout * 1000,
      shutdown: () => requestShutdown('requested over REST'),
      reload: (requestId) => void reloader.reload(requestId),
      ...(recorder === undefined ? {} : { recording: () => recorder }),
      ...(certificate === undefined ? {} : { certificate: () => certificate.status() }),
      ...(options.logLinesLost === undefined ? {} : { logLinesLost: options.logLinesLost }),
      tradePassword: options.tradePassword ?? tradePassword(process.env, logger),
    });
    undo.unshift(await openControl(stateDir, gateway, reloading, logger));
    await backend.start();
    undo.unshift(() => backend.stop());

    const mcp = createMcpEndpoint({
      gateway,
      clock,
      version: packageVersion,
      ...(settings.publicUrl === null ? {} : { publicUrl: settings.publicUrl }),
      toolsets: toolsetsOf(settings.mcpToolsets),
      confirm: settings.mcpConfirm,
      onError: (error) => logger.debug({ err: error }, 'an MCP message failed'),
    });
    const onTrouble = acceptTrouble(logger);
    const origins = new PageOrigins(allowedOriginsOf(settings), tls);
    const ws = createWsEndpoint({
      gateway,
      clock,
      origins,
      onDefect: (error) => logger.error({ err: error }, 'push connection failed'),
    });
    const rest = createRestServer({
      gateway,
      ...(tls === undefined ? {} : { tls }),
      origins,
      ...(settings.publicUrl === null ? {} : { publicUrl: settings.publicUrl }),
      metricsPublic: settings.metricsPublic,
      version: packageVersion,
      consoleFolder: new URL('dist/console/', packageFolder),
      mounts: [mcp.mount],
      webSocket: { path: WS_PATH, handshake: (request, socket, head) => void ws.handleUpgrade(request, socket, head) },
      onTrouble,
    });
    const grpc = settings.noGrpc ? undefined : createGrpcServer({ gateway, clock, onTrouble, ...(tls === undefined ? {} : { tls }) });
    const core = createCoreListeners({ settings, gateway, origins, clock, logger, tls, rsaKey: rsaKey.value, onTrouble });
    takesTls.push(origins, ...[rest, grpc, core.websocket].filter((listener) => listener !== undefined));
    undo.unshift(async () => {
      gateway.endWaits();
      // The gateway's stop ends push connections, and core connections are such: their requests are answered before it.
      await Promise.all([core.websocket?.finish(), core.api?.finish()]);
      gateway.stop();
      await mcp.close();
      await Promise.all([ws.close(), rest.close(), grpc?.close(), core.websocket?.close(), core.api?.close()]);
    });
    const s = tls === undefined ? '' : 's';
    const listening = { restPort: rest, grpcPort: grpc, websocketPort: core.websocket, apiPort: core.api };
    const shares = sharesOf(listening);
    const host = printedHost(settings.bind, tls?.cert);
    const addressOf = async (port: ListenerPort, listener: Listener) =>
      `${host}:${await listen(listener, settings, port, shares?.get(port))}`;
    const restUrl = `http${s}://${await addressOf('restPort', rest)}`;
    const publicUrl = settings.publicUrl ?? restUrl;
    const grpcUrl = grpc && `http${s}://${await addressOf('grpcPort', grpc)}`;
    const websocketUrl = core.websocket && `ws${s}://${await addressOf('websocketPort', core.websocket)}`;
    const apiAddress = core.api && (await addressOf('apiPort', core.api));
    return {
      gateway,
      backend,
      access,
      login,
      restUrl,
      publicUrl,
      grpcUrl,
      websocketUrl,
      apiAddress,
      reload: reloading,
      stop: () => runAll(undo),
    };
  } catch (error) {
    await runAll(undo);
    throw error;
  }
}

/** In order; one that fails does not keep the rest from running. */
async function runAll(actions: readonly (() => void | Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const action of actions) {
    try {
      await action();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the daemon did not stop cleanly');
}

function loadTls({ restTlsCert, restTlsKey }: Settings, clock: Clock, logger: Logger) {
  if (restTlsCert === null || restTlsKey === null) return undefined;
  const tls = loadTlsMaterial(restTlsCert, restTlsKey, clock.now());
  if (!tls.ok) throw new StartProblem(tls.error);
  for (const warning of tls.value.warnings) logger.warn({}, warning);
  return tls.value;
}

/** Pages served under the public address are the daemon's own. */
function allowedOriginsOf({ allowedOrigins, publicUrl }: Settings): readonly string[] {
  return publicUrl === null ? allowedOrigins : [...allowedOrigins, new URL(publicUrl).origin];
}

function openKeyring({ restKeysFile }: Settings, clock: Clock): Keyring | undefined {
  if (restKeysFile === null) return undefined;
  const keyring = Keyring.open({ path: restKeysFile, clock });
  if (!keyring.ok) throw new StartProblem(formatLoadError(keyring.error));
  return keyring.value;
}

/** A mistyped id would be noticed only by clients. */
function checkApiKey({ apiKeyId, noApi, restKeysFile }: Settings, keyring: Keyring | undefined): void {
  if (apiKeyId === null || noApi || keyring === undefined) return;
  const named = keyring.authenticateId(apiKeyId);
  // One that has expired may be made to work again without a restart.
  if (!named.ok && named.error.code === 'auth.invalid')
    throw new StartProblem(`--api-key-id ${apiKeyId}: ${named.error.message} (${restKeysFile})`);
}

function openAudit({ auditLog, auditRequired }: Settings, clock: Clock, logger: Logger): AuditLog {
  const audit = AuditLog.open({
    clock,
    ...(auditLog === null ? {} : { path: auditLog }),
    required: auditRequired,
    log: auditToLog(logger),
    report: (message) => logger.error({ target: 'audit' }, message),
  });
  if (!audit.ok) throw new StartProblem(audit.error);
  return audit.value;
}

/** The setting of each switch that operations may need: leaving one out does not build. */
const switchSettings = {
  '--enable-trading': 'enableTrading',
  '--enable-v18-position-writes': 'enableV18PositionWrites',
  '--enable-desktop-phase2-reads': 'enableDesktopPhase2Reads',
  '--enable-v18-experimental-reads': 'enableV18ExperimentalReads',
  '--enable-v18-kline-patterns': 'enableV18KlinePatterns',
  '--enable-v18-kline-pattern-performance': 'enableV18KlinePatternPerformance',
} as const satisfies Record<Switch, SettingName>;

function switchesOf(settings: Settings): ReadonlySet<string> {
  return new Set(switches.filter((name) => settings[switchSettings[name]]));
}

function createReloader(access: Access, certificate: Certificate | undefined, clock: Clock, logger: Logger): Reloader {
  // Keys first: a revocation does not wait for anything else.
  return new Reloader(clock, [keysStep(access, logger), ...(certificate === undefined ? [] : [certificate]), auditStep(access)]);
}

const TROUBLE_PAUSE_MS = 10_000;

/** Logs connections that could not be accepted, as a rule because descriptors ran out, and not each of a flood of them. */
function acceptTrouble(logger: Logger): (error: Error) => void {
  let quietUntil = 0;
  return (error) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + TROUBLE_PAUSE_MS;
    logger.error({ reason: error.message }, 'cannot accept connections');
  };
}

type TlsPair = Parameters<RestServer['setTls']>[0];
type TakesTls = Pick<RestServer, 'setTls'>;
type Listener = Pick<RestServer | GrpcServer, 'listen'>;
type ListenerPort = 'restPort' | 'grpcPort' | 'websocketPort' | 'apiPort';

/** How many connections each listener that there is may hold; undefined where the system does not limit them. */
function sharesOf(listeners: Readonly<Record<ListenerPort, Listener | undefined>>): ReadonlyMap<ListenerPort, number> | undefined {
  const limit = descriptorLimit();
  const others = (['grpcPort', 'websocketPort', 'apiPort'] as const).filter((port) => listeners[port] !== undefined);
  return limit === undefined ? undefined : connectionShares<ListenerPort>(limit, ['restPort', ...others]);
}

/** Binds a listener to the port that this setting names; the port that it has then. */
function listen(listener: Listener, settings: Settings, setting: ListenerPort, connectionsMax: number | undefined): Promise<number> {
  const { bind, [setting]: wanted } = settings;
  return listener.listen({ host: bind, port: wanted, connectionsMax }).catch((error: NodeJS.ErrnoException) => {
    throw new StartProblem(listenProblem(bind, wanted, flagOf(setting), error));
  });
}

function listenProblem(bind: string, port: number, flag: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} on ${bind} is in use; stop what uses it or choose another with ${flag} (0 = any free port)`;
  return `cannot listen on ${bind} port ${port}: ${error.message}`;
}
