import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@svc-gateway/contract/clock';
import type { JsonValue } from '@svc-gateway/contract/json/value';
import type { DeviceChecks } from './device-checks.js';
import type { Devices } from './devices.js';
import { type LoginRequest, readCodeRequest, readLogin } from './request.js';
import { type RetType, retTexts, retType } from './ret-type.js';
import type { Sessions } from './sessions.js';
import { passwordDigest, signatureOf } from './signature.js';

/** Address of an endpoint. */
interface EndpointAddress {
  readonly host: string;
  readonly port: number;
}

export interface Endpoints {
  readonly platform: EndpointAddress;
  readonly brokers: readonly (EndpointAddress & { readonly broker_id: number; readonly name: string })[];
}

export interface AuthorityOptions {
  readonly account: string;
  readonly password: string;
  readonly clock: Clock;
  readonly devices: Devices;
  readonly checks: DeviceChecks;
  readonly sessions: Sessions;
  /** Asked at each login: ports may be open only by then. */
  readonly points: () => Endpoints;
  readonly userId: number;
  /** A code is sent to the account's phone. */
  readonly sendCode: (account: string, code: string) => void;
}

export type AuthorityAnswer = Readonly<Record<string, unknown>> & { readonly ret_type: RetType };

const CLIENT_VERSION_MIN = 800;
/** How far a login's timestamp may be from the service's own clock. */
const FRESH_MS = 300_000;
/** Nonces are remembered for as long as their timestamps could be fresh. */
const NONCE_MS = 2 * FRESH_MS;
const NONCES_MAX = 100_000;
const FAILURES_MAX = 10;
const FAILURES_MS = 300_000;
const PHONE = '+852 ****0101';

/** The login service: decides about a login and about requests for a device code. */
export class Authority {
  readonly #digest: string;
  /** When they were seen (monotonic ms). */
  readonly #nonces = new Map<string, number>();
  /** Times of logins with a wrong password (monotonic ms). */
  #failures: number[] = [];
  readonly #ordered: RetType[] = [];

  constructor(private readonly options: AuthorityOptions) {
    this.#digest = passwordDigest(options.account, options.password);
  }

  /** The next logins are answered with this, whatever they say. */
  order(answer: RetType, times = 1): void {
    for (let count = 0; count < times; count++) this.#ordered.push(answer);
  }

  /** Answers of the next logins, one by one. */
  get ordered(): readonly RetType[] {
    return this.#ordered;
  }

  clear(): void {
    this.#ordered.length = 0;
  }

  /** @param version of the header `X-Svc-Client-Version`. */
  async login(body: JsonValue, version: string | undefined): Promise<AuthorityAnswer> {
    const request = readLogin(body);
    if (typeof request === 'string') return refuse(retType.badParameter, request);
    const ordered = this.#ordered.shift();
    if (ordered !== undefined && ordered !== retType.success) return this.#answerOrdered(ordered, request);
    if (version === undefined || !/^\d{1,9}$/.test(version) || Number(version) < CLIENT_VERSION_MIN) {
      return refuse(retType.versionTooLow, `X-Svc-Client-Version must be ${CLIENT_VERSION_MIN} or higher, found ${version ?? 'none'}`);
    }
    return this.#judge(request) ?? this.#admit(request);
  }

  deviceCode(body: JsonValue): AuthorityAnswer {
    const request = readCodeRequest(body);
    if (typeof request === 'string') return refuse(retType.badParameter, request);
    const { account, device_id, device_verify_sig } = request;
    const sent = this.options.checks.sendCode(device_verify_sig, account, device_id);
    if (sent === undefined) return refuse(retType.badParameter, 'device_verify_sig is unknown or has expired: log in again');
    if ('waitSeconds' in sent) {
      return refuse(retType.ticketExpired, `a code was sent less than a minute ago; ask again in ${sent.waitSeconds} s`);
    }
    this.options.sendCode(account, sent.code);
    return { ret_type: retType.success, ret_msg: '', phone_no: PHONE };
  }

  /** Problem of a login, if there is one. */
  #judge(request: LoginRequest): AuthorityAnswer | undefined {
    const { clock } = this.options;
    const now = clock.monotonic();
    if (Math.abs(request.timestamp * 1000 - clock.now()) > FRESH_MS) {
      return refuse(retType.badParameter, `timestamp is more than ${FRESH_MS / 1000} s off`);
    }
    if (!isEqual(request.sign, signatureOf({ ...request }))) return refuse(retType.badSignature);
    if (!this.#isNew(request.nonce.toLowerCase(), now)) return refuse(retType.badParameter, 'nonce has been used before');
    this.#failures = this.#failures.filter((time) => time > now - FAILURES_MS);
    if (this.#failures.length >= FAILURES_MAX) return refuse(retType.ticketExpired, 'too many failed logins: wait 300 s');
    if (request.account === this.options.account && isEqual(request.pwd_digest, this.#digest)) return undefined;
    this.#failures.push(now);
    return refuse(retType.wrongPassword);
  }

  /** A login that proved to know the password: by its ticket, its code, or not yet. */
  async #admit(request: LoginRequest): Promise<AuthorityAnswer> {
    const { devices, checks } = this.options;
    const { account, device_id, tgtgt, verify_code, device_verify_sig } = request;
    if (tgtgt !== '') return devices.accepts(tgtgt, account, device_id) ? this.#succeed(tgtgt) : refuse(retType.ticketExpired);
    if (!checks.has(device_verify_sig, account, device_id)) return this.#checkDevice(request);
    if (!checks.answer(device_verify_sig, account, device_id, verify_code)) return refuse(retType.wrongCode);
    return this.#succeed(await devices.verify(account, device_id));
  }

  #checkDevice({ account, device_id }: LoginRequest): AuthorityAnswer {
    const device_verify_sig = this.options.checks.begin(account, device_id);
    return { ...refuse(retType.deviceCheck), device_verify_sig, phone_no: PHONE };
  }

  #answerOrdered(ordered: RetType, request: LoginRequest): AuthorityAnswer {
    return ordered === retType.deviceCheck ? this.#checkDevice(request) : refuse(ordered);
  }

  #succeed(tgtgt: string): AuthorityAnswer {
    const { sessions, userId, points } = this.options;
    return { ret_type: retType.success, ret_msg: '', tgtgt, user_id: userId, session_key: sessions.open(), ...points() };
  }

  #isNew(nonce: string, now: number): boolean {
    for (const [seen, at] of this.#nonces) {
      if (at > now - NONCE_MS && this.#nonces.size <= NONCES_MAX) break;
      this.#nonces.delete(seen);
    }
    if (this.#nonces.has(nonce)) return false;
    this.#nonces.set(nonce, now);
    return true;
  }
}

function refuse(ret: RetType, text = retTexts[ret]): AuthorityAnswer {
  return { ret_type: ret, ret_msg: text };
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
