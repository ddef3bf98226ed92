import { createHash, createHmac } from 'node:crypto';
import type { AccountKind } from '@svc-gateway/contract/login-account';

/** Account and device of a login: the same at every try. */
export interface LoginIdentity {
  readonly account: string;
  readonly accountKind: AccountKind;
  /** Hex SHA-256, see {@link passwordDigest}: as good as the password, and treated as it is. */
  readonly passwordDigest: string;
  /** Brand of the login: one service may serve several. */
  readonly platform: string;
  readonly deviceName: string;
}

/** Fields that differ from try to try. */
export interface LoginAttempt {
  readonly deviceId: string;
  /** Ticket of an earlier login; '' without one. */
  readonly ticket: string;
  /** Names the device check that is under way or was passed; '' without one. */
  readonly deviceVerifySig: string;
  /** '' without one. */
  readonly verifyCode: string;
  /** Epoch ms. */
  readonly now: number;
  /** Hex, 16 random bytes: never used twice. */
  readonly nonce: string;
}

/** The version of the login protocol that this client speaks: header and field. A service refuses those below 800. */
export const CLIENT_VERSION = 800;
export const CLIENT_VERSION_HEADER = 'X-Svc-Client-Version';

const LANGUAGE = 'en';

/** Stands for the password from here on, which itself never leaves the process. */
export function passwordDigest(account: string, password: string): string {
  return createHash('sha256').update(`${account}:${password}`).digest('hex');
}

/** The body of a login: exactly the fifteen fields that the service takes, the last of which signs the others. */
export function loginBody(identity: LoginIdentity, attempt: LoginAttempt): Readonly<Record<string, string | number>> {
  const { account, accountKind, passwordDigest: digest, platform, deviceName } = identity;
  const fields = {
    account,
    account_kind: accountKind,
    pwd_digest: digest,
    platform,
    device_id: attempt.deviceId,
    device_name: deviceName,
    os: process.platform,
    client_version: String(CLIENT_VERSION),
    lang: LANGUAGE,
    timestamp: Math.floor(attempt.now / 1000),
    nonce: attempt.nonce,
    verify_code: attempt.verifyCode,
    device_verify_sig: attempt.deviceVerifySig,
    tgtgt: attempt.ticket,
  };
  return { ...fields, sign: signatureOf(fields, digest) };
}

/** Hex HMAC-SHA-256 over the fields sorted by name, joined as `name=value` by `&`. */
function signatureOf(fields: Readonly<Record<string, string | number>>, key: string): string {
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  return createHmac('sha256', key).update(text).digest('hex');
}
