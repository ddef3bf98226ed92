import type { JsonObject, JsonValue } from '@svc-gateway/contract/json/value';
import type { Endpoint } from '@svc-gateway/protocol-client';
import { Malformed, objectOf, TEXT_MAX, textOf, wrong } from './json-fields.js';

/** A broker to connect to. */
export interface BrokerEndpoint extends Endpoint {
  readonly brokerId: number;
  readonly name: string;
}

/** Session of a login, and the endpoints that it opens. */
export interface LoginGrant {
  /** Ticket with which the next login needs no code. */
  readonly ticket: string;
  readonly userId: bigint;
  /** Authenticates every connection until it expires. */
  readonly sessionKey: string;
  readonly platform: Endpoint;
  readonly brokers: readonly BrokerEndpoint[];
}

/** Answer of the login service. */
export type LoginAnswer = { readonly retType: 0; readonly grant: LoginGrant } | LoginRefusal;

export interface LoginRefusal extends CodeAnswer {
  readonly grant?: undefined;
  /** Name of the device check that ret_type 20 asks for; '' where there is none. */
  readonly deviceVerifySig: string;
}

/** Answer to a request for a device code; ret_type 0 = it was sent. */
export interface CodeAnswer {
  readonly retType: number;
  /** The service's own text; '' without one. */
  readonly said: string;
  /** Where codes go to, unreadable but for its end; '' where it is not said. */
  readonly phone: string;
}

const BROKERS_MAX = 64;
const SHOWN_MAX = 200;
const PORT_MAX = 65_535;
const INT32_MAX = 2 ** 31 - 1;
const UINT64_MAX = 2n ** 64n - 1n;
const PHONE_MAX = 24;
const PHONE_END = 4;

/** Reads the body of a login's answer; throws {@link Malformed}. */
export function readLoginAnswer(body: JsonValue): LoginAnswer {
  const fields = objectOf(body, 'the answer');
  const refusal = readCodeAnswer(fields);
  if (refusal.retType === 0) return { retType: 0, grant: readGrant(fields) };
  return { ...refusal, deviceVerifySig: textOf(fields, 'device_verify_sig') ?? '' };
}

/** Reads the body of the answer to a request for a device code; throws {@link Malformed}. */
export function readCodeAnswer(body: JsonValue): CodeAnswer {
  const fields = objectOf(body, 'the answer');
  const retType = fields.ret_type;
  if (typeof retType !== 'number' || !Number.isInteger(retType)) throw wrong('ret_type', 'an integer', retType);
  return { retType, said: shown(fields.ret_msg), phone: masked(textOf(fields, 'phone_no') ?? '') };
}

/** "+852 9123 4567" → "********4567": the probes that show it are open to everybody. A terminal may show it: nothing but digits is left. */
function masked(phone: string): string {
  const bare = phone.replaceAll(/[^\d+*]/g, '').slice(-PHONE_MAX);
  return bare.slice(-PHONE_END).padStart(bare.length, '*');
}

function readGrant(fields: JsonObject): LoginGrant {
  const brokers = fields.brokers;
  if (!Array.isArray(brokers) || brokers.length > BROKERS_MAX) throw wrong('brokers', `an array of at most ${BROKERS_MAX}`, brokers);
  const points = brokers.map((broker, index) => readBroker(broker, `brokers[${index}]`));
  const double = points.find(({ brokerId }, index) => points.findIndex((other) => other.brokerId === brokerId) !== index);
  if (double !== undefined) throw new Malformed(`brokers: ${double.brokerId} is there twice`);
  return {
    ticket: secretOf(fields, 'tgtgt'),
    userId: userIdOf(fields.user_id),
    sessionKey: secretOf(fields, 'session_key'),
    platform: endpointOf(fields.platform, 'platform'),
    brokers: points,
  };
}

function readBroker(value: JsonValue | undefined, path: string): BrokerEndpoint {
  const fields = objectOf(value, path);
  return { brokerId: wholeNumber(fields.broker_id, `${path}.broker_id`, INT32_MAX), name: shown(fields.name), ...endpointOf(fields, path) };
}

function endpointOf(value: JsonValue | undefined, path: string): Endpoint {
  const fields = objectOf(value, path);
  const { host } = fields;
  if (typeof host !== 'string' || host === '' || host.length > TEXT_MAX) throw wrong(`${path}.host`, 'a host name or an address', host);
  return { host, port: wholeNumber(fields.port, `${path}.port`, PORT_MAX) };
}

function wholeNumber(value: JsonValue | undefined, path: string, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw wrong(path, `a whole number from 1 to ${max}`, value);
}

function userIdOf(value: JsonValue | undefined): bigint {
  const whole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)) ? BigInt(value) : undefined;
  const id = whole ?? (typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : undefined);
  if (id !== undefined && id >= 0n && id <= UINT64_MAX) return id;
  throw wrong('user_id', 'an unsigned 64-bit integer', value);
}

function secretOf(fields: JsonObject, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '' && value.length <= TEXT_MAX) return value;
  throw new Malformed(`${name} must be a text of 1 to ${TEXT_MAX} characters`);
}

/** Another's text, as short as one wants it in a message, and without what would steer a terminal. */
function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, SHOWN_MAX).replaceAll(/\p{Cc}/gu, ' ') : '';
}
