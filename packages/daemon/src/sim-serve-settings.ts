import { err, ok } from '@svc-gateway/access';
import { oneOf, onOff, optional, path, port, type SettingType, type SimulationClock, secretText, wholeNumber } from './setting-types.js';
import { type LogLevel, type Setting, type SettingName, settingOf } from './settings-table.js';

/** One flag of `svcd sim serve`. */
export interface SimServeFlag<T> {
  readonly type: SettingType<T>;
  readonly default: T;
  readonly group: string;
  readonly about: string;
  /** The profile that alone knows it. */
  readonly of?: 'brokerage' | 'opend';
  /** Never shown; the environment variable that says it too. */
  readonly secretVariable?: string;
}

function flag<T>(declared: SimServeFlag<T>): SimServeFlag<T> {
  return declared;
}

/** A flag that the daemon has as well, and that means the same. */
function daemonFlag<T>(name: SettingName, secretVariable?: string): SimServeFlag<T> {
  const { type, default: fallback, group, about } = settingOf(name) as Setting<T>;
  return { type, default: fallback as T, group, about, ...(secretVariable === undefined ? {} : { secretVariable }) };
}

const brokerIds = [1001, 1007, 1008] as const;
type BrokerPorts = ReadonlyMap<number, number>;

/** `1001=22512`, several of them separated by commas. */
const brokerPorts: SettingType<BrokerPorts> = {
  placeholder: '<id>=<port>',
  read(text, name, place) {
    const ports = new Map<number, number>();
    for (const item of text.split(',')) {
      const [, id, digits = ''] = /^(\d{1,9})=(.*)$/.exec(item.trim()) ?? [];
      const broker = brokerIds.find((one) => String(one) === id);
      const read = port.read(digits, name, place);
      if (broker === undefined || !read.ok) {
        return err(
          `${name} must be <id>=<port> with an id of ${brokerIds.join(', ')} and a port from 0 to 65535; found ${JSON.stringify(item)}`,
        );
      }
      ports.set(broker, read.value);
    }
    return ok(ports);
  },
  write: (ports) => [...ports].map(([id, number]) => `${id}=${number}`).join(),
};

const account: SettingType<string> = {
  placeholder: '<account>',
  read: (text, name) =>
    /^[\w.+@-]{1,64}$/.test(text)
      ? ok(text)
      : err(`${name} must be an id, a phone number or an e-mail address; found ${JSON.stringify(text)}`),
  write: JSON.stringify,
};

const server = 'Server';
const brokerage = { group: 'Profile brokerage', of: 'brokerage' } as const;
const opend = { group: 'Profile opend', of: 'opend' } as const;
const anyPort = '0 = any free port, at the next start the same one';

/** Every flag of `svcd sim serve`, in the order of its help text. */
export const simServeFlags = {
  profile: flag<'brokerage' | 'opend'>({
    type: oneOf(['brokerage', 'opend']),
    default: 'brokerage',
    group: server,
    about:
      'brokerage: login service, platform and brokers, for --backend remote. opend: an upstream that is logged in and strict, for --backend opend://.',
  }),
  stateDir: flag<string | null>({
    type: optional(path),
    default: null,
    group: server,
    about: 'Folder of accounts, orders, verified devices and ports. [sim-serve in the state folder]',
  }),
  faults: flag<boolean>({
    type: onOff,
    default: false,
    group: server,
    about: 'Take orders for faults over HTTP, for tests: POST /faults.',
  }),
  authPort: flag<number>({ type: port, default: 0, ...brokerage, about: `Port of the login service, and of /faults; ${anyPort}.` }),
  platformPort: flag<number>({ type: port, default: 0, ...brokerage, about: `Port of the platform; ${anyPort}.` }),
  brokerPort: flag<BrokerPorts>({
    type: brokerPorts,
    default: new Map(),
    ...brokerage,
    about: `Port of broker ${brokerIds.join(', ')}; may be given for each; ${anyPort}.`,
  }),
  account: flag<string>({ type: account, default: '10001', ...brokerage, about: 'The account that can log in.' }),
  password: flag<string>({
    type: secretText,
    default: 'simulated',
    ...brokerage,
    secretVariable: 'SVC_SIM_PASSWORD',
    about: 'Its password, by default "simulated". Prefer SVC_SIM_PASSWORD: other users can see flags.',
  }),
  apiPort: flag<number>({ type: port, default: 11_111, ...opend, about: `Port of the public protocol; ${anyPort}.` }),
  apiRsaKey: flag<string | null>({
    type: optional(path),
    default: null,
    ...opend,
    about: 'RSA private key (PEM, 1024 to 4096 bits): bodies are encrypted for clients that have it too.',
  }),
  quotaLevel: flag<number>({
    type: wholeNumber(1, 4, '<level>'),
    default: 1,
    ...opend,
    about: 'Quota of subscriptions, and of symbols with history: level 1 has 100, 2 has 300, 3 has 1000, 4 has 2000.',
  }),
  language: flag<'en' | 'zh'>({
    type: oneOf(['en', 'zh']),
    default: 'en',
    ...opend,
    about: 'Language of refusals that are known in both.',
  }),
  faultsPort: flag<number>({ type: port, default: 0, ...opend, about: `Port of /faults; ${anyPort}.` }),
  simSeed: daemonFlag<number>('simSeed'),
  simClock: daemonFlag<SimulationClock>('simClock'),
  simInstruments: daemonFlag<number>('simInstruments'),
  simData: daemonFlag<string | null>('simData'),
  simTradePassword: daemonFlag<string>('simTradePassword', 'SVC_SIM_TRADE_PASSWORD'),
  logLevel: daemonFlag<LogLevel>('logLevel'),
} as const;

type ValueOf<F> = F extends SimServeFlag<infer T> ? T : never;

/** Settings of `svcd sim serve`. */
export type SimServeSettings = { readonly [K in keyof typeof simServeFlags]: ValueOf<(typeof simServeFlags)[K]> };
