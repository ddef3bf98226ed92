import { hostname } from 'node:os';
import type { Limits } from '@svc-gateway/access';
import { defaultBounds } from '@svc-gateway/gateway/bounds';
import { configFolder, stateFolder } from '@svc-gateway/storage';
import type { Environment } from './environment.js';
import {
  backendChoice,
  keyId,
  limit,
  listenAddress,
  loginAccount,
  oneOf,
  onOff,
  optional,
  origins,
  path,
  plainText,
  port,
  publicAddress,
  type SettingType,
  type SimulationClock,
  secretText,
  serviceUrl,
  simulationClock,
  size,
  toolsets,
  verificationCode,
  wholeNumber,
  word,
} from './setting-types.js';

/** Headings of the help text, in its order. */
export const settingGroups = [
  'Listener',
  'Access',
  'Tools for language models',
  'Bounds per key',
  'Limits for every caller',
  'Backend',
  'Login to a brokerage',
  'Simulated brokerage',
  'Files and logs',
  'Start',
] as const;

/** One setting, declared once. Its flag, variable and config key follow from its name in {@link settingsTable}. */
export interface Setting<T> {
  readonly type: SettingType<T>;
  /** undefined where it needs a home folder and there is none. */
  readonly default: T | ((environment: Environment) => T | undefined);
  readonly group: Group;
  /** One sentence for `--help`. */
  readonly about: string;
  /** Further names of the flag, without the dashes. */
  readonly aliases?: readonly string[];
  /** Never shown. */
  readonly secret?: boolean;
  /** Not accepted in config.toml, because it says where that file lies. */
  readonly outsideConfig?: boolean;
  /** Default under `--demo`, as text. */
  readonly demo?: (folders: DemoFolders) => string;
}

/** Folders of the demo's own files. */
export interface DemoFolders {
  /** A path in the configuration folder. */
  readonly inConfig: (...names: string[]) => string;
  /** A path in the state folder. */
  readonly inState: (...names: string[]) => string;
}

type Group = (typeof settingGroups)[number];

/** Settings under one heading. */
function within<T extends Readonly<Record<string, unknown>>>(
  group: Group,
  settings: { readonly [K in keyof T]: Omit<Setting<T[K]>, 'group'> },
): { readonly [K in keyof T]: Setting<T[K]> } {
  const named = Object.entries<Omit<Setting<unknown>, 'group'>>(settings).map(([name, declared]) => [name, { ...declared, group }]);
  return Object.fromEntries(named);
}

/** A switch that is off unless somebody turns it on. */
const off = { type: onOff, default: false };

/** A setting without a default. */
function unset<T>(type: SettingType<T>) {
  return { type: optional(type), default: null };
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const confirmModes = ['always', 'real', 'never'] as const;

const SEED_MAX = Number.MAX_SAFE_INTEGER;
const INSTRUMENTS_MAX = 20_000;
const QUOTA_MAX = 1_000_000;
const CONNECTIONS_MAX = 10_000;
const BOUND_MAX = 10_000_000;
const REQUEST_SECONDS_MAX = 3_600;

/** Every setting of `svcd`. Order within a group is the order of the help text. */
const settingsTable = {
  ...within('Listener', {
    bind: {
      type: listenAddress,
      default: '127.0.0.1',
      about: 'Address to listen on. Anything but loopback needs a keys file, and so TLS.',
    },
    restPort: { type: port, default: 22_499, about: 'Port of REST, /ws and the documentation; 0 = any free port.' },
    grpcPort: { type: port, default: 22_500, about: 'Port of gRPC; 0 = any free port.' },
    noGrpc: { ...off, about: 'Do not serve gRPC.' },
    websocketPort: {
      type: port,
      default: 22_501,
      about: 'Port of the core WebSocket, for the published JavaScript client; 0 = any free port.',
    },
    noWebsocket: { ...off, about: 'Do not serve the core WebSocket.' },
    apiPort: {
      type: port,
      default: 11_111,
      about: 'Port of core TCP, for the other published clients; 0 = any free port. With a keys file it needs --api-key-id.',
    },
    noApi: { ...off, about: 'Do not serve core TCP.' },
    apiKeyId: {
      ...unset(keyId),
      about: 'Key that all core TCP clients act under: the protocol carries no credential. Local connections only.',
    },
    apiRsaKey: { ...unset(path), about: 'RSA private key (PEM, 1024 to 4096 bits) shared with core TCP clients, to encrypt bodies.' },
    restTlsCert: {
      ...unset(path),
      about: 'TLS certificate chain (PEM). Required with a keys file.',
      demo: ({ inConfig }) => inConfig('tls', 'localhost.crt'),
    },
    restTlsKey: {
      ...unset(path),
      about: 'Private key of the certificate (PEM).',
      demo: ({ inConfig }) => inConfig('tls', 'localhost.key'),
    },
    allowedOrigins: { type: origins, default: [], about: 'Web origins whose pages may call the gateway; none by default.' },
    publicUrl: {
      ...unset(publicAddress),
      about: 'Address under which a reverse proxy serves REST, /ws, /mcp and the console, with its path prefix.',
    },
    wsMaxBacklog: {
      type: size('64KiB', '1GiB'),
      default: 8 * 1024 ** 2,
      about: 'Unsent bytes at which a slow /ws connection is closed (code 1013).',
    },
  }),
  ...within('Bounds per key', {
    maxConnectionsPerKey: {
      type: wholeNumber(1, CONNECTIONS_MAX),
      default: defaultBounds.connections,
      about: 'Open connections of a key: /ws, gRPC streams, core WebSocket and core TCP together.',
    },
    maxRefusalsPerSecond: {
      type: wholeNumber(1, BOUND_MAX),
      default: defaultBounds.refusalsPerSecond,
      about: 'Refused requests per second, averaged over ten seconds; above that a key gets 429 until the rate falls.',
    },
    maxIdempotencyKeys: {
      type: wholeNumber(1, BOUND_MAX),
      default: defaultBounds.idempotencyKeys,
      about: 'Idempotency keys remembered for 24 hours; ten times as many for all keys together.',
    },
    maxCallsPerKey: {
      type: wholeNumber(1, BOUND_MAX),
      default: defaultBounds.calls,
      about:
        'Requests waiting for the backend at once; four times as many for all keys together. A share is reserved for orders and cancels.',
    },
    maxWaitsPerKey: {
      type: wholeNumber(1, BOUND_MAX),
      default: defaultBounds.waits,
      about: 'Calls of wait-for that wait at once; eight times as many for all keys together.',
    },
    maxSubscriptionsPerKey: {
      ...unset(wholeNumber(1, BOUND_MAX)),
      about: 'Subscriptions (symbol and type) over all connections of a key; half of the subscription quota by default.',
    },
  }),
  ...within('Backend', {
    backend: {
      type: backendChoice,
      default: 'sim',
      about:
        'What stands behind the gateway: sim, remote for a brokerage that is logged in to, or opend://<host>:<port> for a daemon of the public protocol that is logged in.',
    },
    upstreamRsaKey: {
      ...unset(path),
      about: 'RSA private key (PEM, 1024 to 4096 bits) that the upstream has too, to encrypt what goes between.',
    },
    requestTimeout: {
      type: wholeNumber(1, REQUEST_SECONDS_MAX, '<seconds>'),
      default: 30,
      about: 'Seconds to wait for the backend when the caller sets no deadline.',
    },
  }),
  ...within('Tools for language models', {
    mcpToolsets: {
      type: toolsets,
      default: [],
      about: 'Toolsets that /mcp offers: quote,account,…; all when empty. With dynamic, tools are looked for instead of listed.',
    },
    mcpConfirm: {
      type: oneOf(confirmModes),
      default: 'real' as (typeof confirmModes)[number],
      about: 'Which trading tools a person must confirm, if the client can ask: all, those for real money, or none.',
    },
  }),
  ...within('Access', {
    restKeysFile: {
      ...unset(path),
      aliases: ['keys-file'],
      about: 'Keys file. With one, every caller needs a key (scope mode); without, reads are open and writes refused.',
      // Not keys.json: the keys of the operator's own daemon are none of the demo's.
      demo: ({ inState }) => inState('demo-keys.json'),
    },
    enableTrading: { ...off, about: 'Allow placing, modifying and cancelling orders.', demo: () => 'true' },
    enableDesktopPhase2Reads: { ...off, about: 'Serve forex display quotes (market 81, FX.EURUSD).' },
    enableV18ExperimentalReads: { ...off, about: 'Serve experimental reads: screens of ETFs, funds, futures and bonds.' },
    enableV18KlinePatterns: { ...off, about: 'Serve K-line patterns: catalogue, detection, statistics, stocks.' },
    enableV18PositionWrites: {
      ...off,
      about: 'Accept requests that reverse or roll a position in real futures accounts; needs --enable-trading too.',
    },
    enableV18KlinePatternPerformance: { ...off, about: 'Serve the performance of K-line patterns.' },
    metricsPublic: { ...off, about: 'Serve /metrics without a key in scope mode too.' },
  }),
  ...within('Limits for every caller', {
    allowedMarkets: { ...unset(limit('allowedMarkets', '<list>')), about: 'Markets that may be read and traded: HK,US,…' },
    allowedSymbols: { ...unset(limit('allowedSymbols', '<list>')), about: 'Symbols that may be read and traded: HK.00700,US.AAPL,…' },
    allowedTrdSides: { ...unset(limit('allowedTrdSides', '<list>')), about: 'Allowed order sides: any of BUY,SELL,SELL_SHORT,BUY_BACK.' },
    hoursWindow: { ...unset(limit('hoursWindow', '<HH:MM-HH:MM>')), about: 'Local time window for orders; may cross midnight.' },
    maxOrderValue: {
      ...unset(limit('maxOrderValue', '<amount>', 'number')),
      about: 'Cap on quantity × price × multiplier of an order, in each currency separately.',
    },
    maxDailyValue: {
      ...unset(limit('maxDailyValue', '<amount>', 'number')),
      about: 'Cap on the order value of all keys together per UTC day, in each currency separately.',
    },
    maxDailyLoss: {
      ...unset(limit('maxDailyLoss', '<amount>', 'number')),
      about: 'What an account may have lost today before no more risk is taken in it, in each currency separately.',
    },
    limitsCurrency: {
      ...unset(limit('limitsCurrency', '<currency>')),
      about: 'One currency for these caps, such as HKD: others are converted, plus 2 %.',
    },
    maxOrdersPerMinute: {
      ...unset(limit('maxOrdersPerMinute', '<number>', 'number')),
      about: 'Cap on orders of all keys together in any 60 seconds.',
    },
    maxOpenOrders: { ...unset(limit('maxOpenOrders', '<number>', 'number')), about: 'Cap on the open orders of all keys together.' },
  }),
  ...within('Login to a brokerage', {
    authUrl: { ...unset(serviceUrl), about: 'Address of the login service, for --backend remote. https, or http on this machine.' },
    loginAccount: { ...unset(loginAccount), about: 'Account to log in as: a user id, an email address, or a phone number with its +.' },
    loginPwd: { ...unset(secretText), secret: true, about: 'Its password. Prefer SVC_LOGIN_PWD: other users can see flags.' },
    platform: {
      type: word('<name>', 32),
      default: 'svc',
      about: 'Platform that the account belongs to, where a login service serves several.',
    },
    deviceName: {
      type: plainText(64),
      default: () => hostname().slice(0, 64) || 'svcd',
      about: 'What the brokerage lists this device as; this machine’s name by default.',
    },
    verifyCode: {
      ...unset(verificationCode),
      secret: true,
      about: 'Code that was sent to verify this device. It can also be typed at the terminal, or given to POST /api/verification.',
    },
    resetDevice: { ...off, about: 'Forget the saved credentials and log in as a new device, which needs a new code. For one start only.' },
    setupOnly: { ...off, about: 'Log in, verify the device, save the credentials, and exit without serving anything.' },
  }),
  ...within('Simulated brokerage', {
    simSeed: {
      type: wholeNumber(0, SEED_MAX, '<seed>'),
      default: 1,
      about: 'Seed of all simulated prices: the same seed and clock give the same world.',
    },
    simClock: {
      type: simulationClock,
      default: { mode: 'open' } as SimulationClock,
      about: 'open (markets never close), calendar (real sessions), or replay:<ISO time>[@speed].',
    },
    simInstruments: { type: wholeNumber(0, INSTRUMENTS_MAX), default: 0, about: 'Generated instruments to add to the well-known ones.' },
    simData: { ...unset(path), about: 'Folder of bars (MARKET.CODE.csv) that become the history of their symbols.' },
    simTradePassword: {
      type: secretText,
      default: '123456',
      secret: true,
      about: 'Trade password of the simulated accounts. Prefer SVC_SIM_TRADE_PASSWORD: other users can see flags.',
    },
  }),
  ...within('Backend', {
    historyKlQuotaMax: { ...unset(wholeNumber(0, QUOTA_MAX)), about: 'History K-line quota, overriding the account’s own.' },
  }),
  ...within('Files and logs', {
    configDir: {
      type: path,
      default: ({ variables, platform, home }) => configFolder(variables, platform, home),
      outsideConfig: true,
      about: 'Configuration folder: config.toml, keys.json, tls/.',
    },
    stateDir: {
      type: path,
      default: ({ variables, platform, home }) => stateFolder(variables, platform, home),
      about: 'State folder: database and credentials.',
    },
    record: { ...unset(path), about: 'Folder in which to record market data, for --sim-data with --sim-clock replay.' },
    recordAccounts: { ...off, about: 'Record account data too: orders, fills, funds, positions.' },
    auditLog: { ...unset(path), about: 'Audit log: one JSON object per line; reopened after rotation.' },
    auditRequired: { ...off, about: 'Refuse writes while the audit log cannot be written; each write is logged before it is sent.' },
    logLevel: {
      type: oneOf(logLevels),
      default: 'info' as LogLevel,
      about: `Minimum level of log entries on stderr: ${logLevels.join(', ')}.`,
    },
  }),
  ...within('Start', {
    acceptRestoredState: {
      ...off,
      about:
        'Trade although the state folder is an older copy and lacks the orders, totals and idempotency keys since. For one start only.',
    },
    demo: {
      ...off,
      about:
        'Five-minute tour: creates a key and a certificate on first use, enables trading on simulated accounts, and prints commands to try.',
    },
  }),
} as const;

export type SettingName = keyof typeof settingsTable;
export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The value of every setting, and the limits that its limit settings make together. Frozen. */
export type Settings = { readonly [K in SettingName]: ValueOf<(typeof settingsTable)[K]> } & {
  /** Limits of every caller, together with its key's own. */
  readonly limits: Limits;
};

/** The setting of a name, its own type forgotten. */
export function settingOf(name: SettingName): Setting<unknown> {
  return settingsTable[name] as Setting<unknown>;
}

/** restPort → "--rest-port". */
export function flagOf(name: SettingName): string {
  return `--${words(name).join('-')}`;
}

/** restPort → "SVC_REST_PORT". */
export function variableOf(name: SettingName): string {
  return `SVC_${words(name).join('_').toUpperCase()}`;
}

/** restPort → "rest_port". */
export function configKeyOf(name: SettingName): string {
  return words(name).join('_');
}

/** The text that `--demo` puts in a setting's place, if it does. */
export function demoTextOf(name: SettingName, folders: DemoFolders): string | undefined {
  return settingOf(name).demo?.(folders);
}

function words(name: SettingName): string[] {
  return name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
}
