import { isIP } from 'node:net';
import { err, isKeyId, type LimitFlags, limitsFromFlags, ok, type Result } from '@svc-gateway/access';
import { accountKindOf } from '@svc-gateway/contract/login-account';
import { namesInList, toolsetNames, unknownToolset } from '@svc-gateway/contract/toolsets';
import { type Environment, expandPath } from './environment.js';

/** Where a setting's text stands, as far as reading it depends on that. */
interface ReadingPlace {
  readonly environment: Environment;
  /** The folder that relative paths start from. */
  readonly base: string;
}

/** How a setting's text is read and written. */
export interface SettingType<T> {
  /** Placeholder after the flag in help texts; null for a switch, which takes no value. */
  readonly placeholder: string | null;
  /** The value, or a whole sentence that begins with the flag's name. */
  read(text: string, flag: string, place: ReadingPlace): Result<T, string>;
  /** The value as config.toml would have it. */
  write(value: T): string;
}

function refuse(flag: string, accepted: string, text: string): Result<never, string> {
  return err(`${flag} must be ${accepted}; found ${JSON.stringify(text)}`);
}

/** A type whose reader answers undefined for what it does not accept. */
function simple<T>(
  placeholder: string | null,
  accepted: string,
  read: (text: string, place: ReadingPlace) => T | undefined,
  write: (value: T) => string = (value) => JSON.stringify(value),
): SettingType<T> {
  return {
    placeholder,
    write,
    read(text, flag, place) {
      const value = read(text, place);
      return value === undefined ? refuse(flag, accepted, text) : ok(value);
    },
  };
}

/** A setting that may be left out: null. */
export function optional<T>(type: SettingType<T>): SettingType<T | null> {
  return { ...type, write: (value) => (value === null ? '' : type.write(value)) };
}

const switchWords: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/** On or off: `--name`, `--no-name`, or a word elsewhere. */
export const onOff = simple(null, 'true or false', (text) => switchWords.get(text.toLowerCase()), String);

/** A whole number of `min` to `max`. */
export function wholeNumber(min: number, max: number, placeholder = '<number>'): SettingType<number> {
  return simple(
    placeholder,
    `a whole number from ${min} to ${max}`,
    (text) => {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    String,
  );
}

/** A TCP port; 0 lets the system choose a free one. */
export const port = wholeNumber(0, 65_535, '<port>');

/** The id of a key in the keys file. */
export const keyId = simple('<id>', 'the id of a key', (text) => (isKeyId(text) ? text : undefined));

/** One of a few words. */
export function oneOf<const T extends string>(words: readonly T[], accepted = `one of ${words.join(', ')}`): SettingType<T> {
  return simple(`<${words.length <= 3 ? words.join('|') : 'word'}>`, accepted, (text) => words.find((word) => word === text));
}

/** An absolute path; `~/` is the home folder. */
export const path: SettingType<string> = {
  placeholder: '<path>',
  write: (value) => JSON.stringify(value),
  read(text, flag, { environment, base }) {
    if (text === '' || text.includes('\0')) return refuse(flag, 'a path', text);
    const expanded = expandPath(text, environment, base);
    return expanded.ok ? expanded : err(`${flag} ${text}: ${expanded.error}`);
  },
};

/** Text that is kept secret: it is in no error and no listing. */
export const secretText: SettingType<string> = {
  placeholder: '<secret>',
  read: (text, flag) => (text === '' ? err(`${flag} must not be empty`) : ok(text)),
  write: () => '(hidden)',
};

/** A name of letters, digits, dots, dashes and underscores. */
export function word(placeholder: string, lengthMax: number): SettingType<string> {
  return simple(placeholder, `1 to ${lengthMax} letters, digits, dots, dashes or underscores`, (text) =>
    /^[\w.-]+$/.test(text) && text.length <= lengthMax ? text : undefined,
  );
}

/** Text of one line. */
export function plainText(lengthMax: number): SettingType<string> {
  return simple('<text>', `1 to ${lengthMax} characters without control characters`, (text) =>
    text !== '' && text.length <= lengthMax && !/\p{Cc}/u.test(text) ? text : undefined,
  );
}

/** Account name at a login service. */
export const loginAccount = simple(
  '<account>',
  'a user id (digits), an email address, or a phone number with its country, such as +85291234567',
  (text) => (accountKindOf(text) === undefined ? undefined : text),
);

/** A code that was sent to a person. It is in no error and no listing. */
export const verificationCode: SettingType<string> = {
  placeholder: '<code>',
  read: (text, flag) => (/^[A-Za-z0-9]{1,32}$/.test(text) ? ok(text) : err(`${flag} must be 1 to 32 letters and digits`)),
  write: () => '(hidden)',
};

/** The base address of a service to which secrets are sent. */
export const serviceUrl = simple('<url>', 'an https address such as https://login.example, or an http address of this machine', (text) =>
  baseUrlOf(text) === undefined ? undefined : text,
);

/** The address under which a reverse proxy serves this daemon; kept without a slash at its end. */
export const publicAddress = simple(
  '<url>',
  'an https address such as https://desk.example/gateway, or an http address of this machine',
  (text) => baseUrlOf(text)?.href.replace(/\/+$/, ''),
);

/** An address that keeps secrets and that paths can be added to. */
function baseUrlOf(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, hostname, username, password } = url;
  const isSecret = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, '')));
  return isSecret && username === '' && password === '' && !/[?#]/.test(text) ? url : undefined;
}

/** Whether only this machine reaches an address. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address);
}

const HOST_NAME = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*$/;

/** An address to listen on. */
export const listenAddress = simple('<address>', 'an IP address or a host name', (text) => {
  const bare = /^\[(.+)\]$/.exec(text)?.[1] ?? text;
  if (isIP(bare) !== 0) return bare;
  // "1.2.3" is no host name but a slip in an address.
  return HOST_NAME.test(text) && !/^[\d.]+$/.test(text) ? text : undefined;
});

/** Backend of the gateway. */
export type BackendChoice = 'sim' | 'remote' | `opend://${string}`;

/** An address of an upstream: its host, an IPv6 address in brackets, and its port. */
const UPSTREAM = /^opend:\/\/(\[[\da-fA-F:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/;
/** Default port of upstreams. */
const UPSTREAM_PORT = 11_111;
const PORT_MAX = 65_535;

/** Address of the upstream; undefined without one. */
export function upstreamOf(choice: string): { readonly host: string; readonly port: number } | undefined {
  const [, named = '', port = String(UPSTREAM_PORT)] = UPSTREAM.exec(choice) ?? [];
  const host = /^\[(.+)\]$/.exec(named)?.[1] ?? named;
  const known = isIP(host) !== 0 || (HOST_NAME.test(host) && !/^[\d.]+$/.test(host));
  return known && Number(port) >= 1 && Number(port) <= PORT_MAX ? { host, port: Number(port) } : undefined;
}

/** The backend: a word, or the address of an upstream. */
export const backendChoice: SettingType<BackendChoice> = simple(
  '<backend>',
  'sim (the simulated brokerage), remote (a brokerage that is logged in to) or opend://<host>:<port> (a daemon of the public protocol)',
  (text) => (text === 'sim' || text === 'remote' || upstreamOf(text) !== undefined ? (text as BackendChoice) : undefined),
);

const sizeUnits: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
]);

/** Bytes: "8388608", "8MiB". */
export function size(min: string, max: string): SettingType<number> {
  const [least, most] = [bytesOf(min) ?? 0, bytesOf(max) ?? 0];
  return simple(
    '<size>',
    `a size in bytes, KiB, MiB or GiB, ${min} to ${max}`,
    (text) => {
      const bytes = bytesOf(text);
      return bytes !== undefined && bytes >= least && bytes <= most ? bytes : undefined;
    },
    (bytes) => {
      const [unit, factor] = [...sizeUnits].findLast(([, factor]) => bytes % factor === 0) ?? ['', 1];
      return unit === '' ? String(bytes) : `"${bytes / factor}${unit}"`;
    },
  );
}

function bytesOf(text: string): number | undefined {
  const match = /^(\d{1,12}) ?([KMG]iB|)$/.exec(text);
  const factor = sizeUnits.get(match?.[2] ?? '-');
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor;
}

/** Web origins, separated by commas. */
export const origins: SettingType<readonly string[]> = simple(
  '<list>',
  'a list of web origins such as https://desk.example or http://localhost:3000, separated by commas',
  (text) => {
    const items = text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return items.every(isOrigin) ? items : undefined;
  },
);

/** Toolsets, separated by commas; none = every group. */
export const toolsets: SettingType<readonly string[]> = simple(
  '<list>',
  `a list of ${toolsetNames.join(', ')}, separated by commas`,
  (text) => {
    const names = namesInList(text);
    return unknownToolset(names) === undefined ? names : undefined;
  },
);

function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** A limit, read by the rules of the keys file and kept as its text; all of them together make the daemon's `Limits`. */
export function limit(name: keyof LimitFlags, placeholder: string, form: 'text' | 'number' = 'text'): SettingType<string> {
  return {
    placeholder,
    read(text) {
      const read = limitsFromFlags({ [name]: text });
      return read.ok ? ok(text) : read;
    },
    write: (value) => (form === 'number' ? value : JSON.stringify(value)),
  };
}

/** Clock of the simulated markets. */
export type SimulationClock =
  | { readonly mode: 'open' }
  | { readonly mode: 'calendar' }
  /** Starts at `start` (epoch ms) and runs `speed` times as fast as real time, with real sessions. */
  | { readonly mode: 'replay'; readonly start: number; readonly speed: number };

const REPLAY = /^replay:(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)(?:@(\d{1,6}(?:\.\d{1,6})?))?$/;
const SPEED_MAX = 100_000;

export const simulationClock: SettingType<SimulationClock> = simple(
  '<clock>',
  `open, calendar, or replay:<ISO time with zone>[@<speed up to ${SPEED_MAX}>], such as replay:2026-03-02T09:30:00+08:00@60`,
  (text) => {
    if (text === 'open' || text === 'calendar') return { mode: text };
    const [, time, speedText = '1'] = REPLAY.exec(text) ?? [];
    const start = time === undefined ? Number.NaN : exactTime(time);
    const speed = Number(speedText);
    return Number.isNaN(start) || speed <= 0 || speed > SPEED_MAX ? undefined : { mode: 'replay', start, speed };
  },
  (clock) => JSON.stringify(clock.mode === 'replay' ? `replay:${new Date(clock.start).toISOString()}@${clock.speed}` : clock.mode),
);

/** Epoch ms of an ISO time; NaN for a day that is in no calendar (Date would take 31 February for 3 March). */
function exactTime(text: string): number {
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day ? Number.NaN : Date.parse(text);
}
