import { type Fields, fieldsOf, type Json, numberOf, textOf } from './json.js';

/** Why a request failed, in the daemon's words where it had any. */
export class Problem extends Error {
  constructor(
    message: string,
    /** The daemon's code, "trading.halted"; "unreachable" where no answer came. */
    readonly code: string,
    /** The HTTP status; undefined where no answer came, and it is not known whether the request was carried out. */
    readonly status?: number,
    /** Seconds to wait, where the daemon says so. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

const TIMEOUT_MS = 15_000;

/** Requests with one key. Nothing of it is in an address, a cookie or a store. */
export class Api {
  /** `onRefused` is told when the daemon does not take the key (any more). */
  constructor(
    readonly key: string | undefined,
    readonly onRefused: (problem: Problem) => void,
  ) {}

  get(path: string): Promise<Fields> {
    return this.#payload(path, { method: 'GET' });
  }

  /** `idempotencyKey` for what changes something: repeated under the same, it is carried out once. */
  post(path: string, body: Json, idempotencyKey?: string): Promise<Fields> {
    const named: Record<string, string> = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    return this.#payload(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...named },
    });
  }

  async #payload(path: string, init: RequestInit): Promise<Fields> {
    const authorization: Record<string, string> = this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` };
    const headers = { ...init.headers, ...authorization, 'X-Svc-Int64': 'string' };
    const { ok, status, retryAfter, answer } = await send(path, { ...init, headers });
    if (ok && answer.ret_type === 0) return fieldsOf(answer.s2c);
    const words = textOf(answer.ret_msg) || textOf(answer.error) || `HTTP ${status}`;
    const problem = new Problem(words, textOf(answer.code) || textOf(answer.err_code), status, retryAfter);
    if (status === 401) this.onRefused(problem);
    throw problem;
  }
}

/** A probe, which answers with a status and its reason, and asks for no key. */
export async function probe(path: string): Promise<Fields & { readonly ok: boolean }> {
  const { ok, answer } = await send(path, { method: 'GET' });
  return { ...answer, ok };
}

/** A name for one action, under which it may be sent again without being done again. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

interface Answered {
  readonly ok: boolean;
  readonly status: number;
  readonly retryAfter?: number;
  readonly answer: Fields;
}

async function send(path: string, init: RequestInit): Promise<Answered> {
  try {
    const response = await fetch(path, {
      ...init,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = fieldsOf((await response.json()) as Json);
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
    const retryAfter = numberOf(Number.isFinite(seconds) ? seconds : undefined);
    return { ok: response.ok, status: response.status, answer, ...(retryAfter === undefined ? {} : { retryAfter }) };
  } catch (thrown) {
    const late = thrown instanceof DOMException && thrown.name === 'TimeoutError';
    throw new Problem(late ? `no answer within ${TIMEOUT_MS / 1000} s` : 'the daemon cannot be reached', 'unreachable');
  }
}
