import { describeJson, isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { quoted } from '@svc-gateway/contract/shown';

/** The 15 fields of a login. */
export interface LoginRequest {
  readonly account: string;
  readonly account_kind: string;
  readonly pwd_digest: string;
  readonly platform: string;
  readonly device_id: string;
  readonly device_name: string;
  readonly os: string;
  readonly client_version: string | number;
  readonly lang: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
  readonly verify_code: string;
  readonly device_verify_sig: string;
  readonly tgtgt: string;
  readonly sign: string;
}

/** Request for a device code. */
export interface CodeRequest {
  readonly account: string;
  readonly device_id: string;
  readonly device_verify_sig: string;
}

/** Check of a field: the accepted values, or undefined where it fits. */
type FieldCheck = (value: JsonValue) => string | undefined;

const TEXT_LENGTH_MAX = 1_024;
const TIMESTAMP_MAX = 2 ** 40;

const matching =
  (pattern: RegExp, accepted: string): FieldCheck =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : accepted;
const text: FieldCheck = (value) =>
  typeof value === 'string' && value.length <= TEXT_LENGTH_MAX ? undefined : `text of at most ${TEXT_LENGTH_MAX} characters`;
const nonEmpty: FieldCheck = (value) => (value === '' ? 'text that is not empty' : text(value));
const hex64 = matching(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');

const loginFields: Readonly<Record<keyof LoginRequest, FieldCheck>> = {
  account: nonEmpty,
  account_kind: matching(/^(?:id|phone|email)$/, 'id, phone or email'),
  pwd_digest: hex64,
  platform: nonEmpty,
  device_id: nonEmpty,
  device_name: text,
  os: text,
  client_version: (value) => (typeof value === 'number' && Number.isInteger(value) ? undefined : nonEmpty(value)),
  lang: text,
  timestamp: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value > 0 && value < TIMESTAMP_MAX
      ? undefined
      : 'Unix seconds as a whole number',
  nonce: matching(/^[0-9a-f]{32}$/i, '32 hexadecimal digits'),
  // A code of the wrong form is a wrong code.
  verify_code: text,
  device_verify_sig: text,
  tgtgt: text,
  sign: hex64,
};

const codeFields: Readonly<Record<keyof CodeRequest, FieldCheck>> = {
  account: nonEmpty,
  device_id: nonEmpty,
  device_verify_sig: nonEmpty,
};

/** A login's body: exactly its fields. A text says what is wrong with it. */
export function readLogin(body: JsonValue): LoginRequest | string {
  return readFields<LoginRequest>(body, loginFields);
}

/** The body that asks for a device code. */
export function readCodeRequest(body: JsonValue): CodeRequest | string {
  return readFields<CodeRequest>(body, codeFields);
}

function readFields<T>(body: JsonValue, fields: Readonly<Record<string, FieldCheck>>): T | string {
  if (!isJsonObject(body)) return `expected a JSON object, found ${describeJson(body)}`;
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `unknown field ${quoted(unknown)}; accepted: ${Object.keys(fields).join(', ')}`;
  for (const [name, check] of Object.entries(fields)) {
    const value = body[name];
    if (value === undefined) return `missing field ${quoted(name)}`;
    const accepted = check(value);
    if (accepted !== undefined) return `${name}: expected ${accepted}`;
  }
  return body as T;
}
