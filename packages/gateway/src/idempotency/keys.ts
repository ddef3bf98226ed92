import { hash } from 'node:crypto';
import { clearField, clone, type DescField, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { SteadyTime } from '@svc-gateway/access';
import { askedText } from '@svc-gateway/contract/asked-text';
import type { Clock } from '@svc-gateway/contract/clock';
import { memoized } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { invalidField, Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import type { Store } from '@svc-gateway/storage';
import type { PacketId, ResponseMessage, Sending } from '../backend.js';
import type { Caller } from '../identity.js';
import { RET_SUCCEED } from '../responses.js';
import { type IdempotencyRow, IdempotencyRows, KeyName, ROOM_SECONDS } from './rows.js';

/** A write as it was on its way when nothing more was heard of it. */
export interface Interrupted {
  readonly sending: Required<Sending>;
  /** The request that was sent, or was about to be. */
  readonly request: Message;
}

/** A write that is about to be sent under its key. */
export interface Keyed {
  /**
   * Puts it on disk as it is sent, and resolves when it is there. A write to a backend that does not record it in the same store
   * must not leave the daemon before.
   */
  enter(): Promise<void>;
  /**
   * Takes back what was reserved for it, once it is on disk that it was refused: before that a crash would leave it to be sent again,
   * past its gates, with nothing reserved.
   */
  refunded(refund: () => Promise<void>): void;
}

/** Takes a write under its key, as it will be sent. */
export type Commit = (packet: PacketId, sent: Message) => Keyed;

/** Sends a write: `interrupted` again as it was, or else anew. */
export type Run = (
  send: (commit: Commit | undefined, interrupted: Interrupted | undefined) => Promise<ResponseMessage | Rejection>,
) => Promise<ResponseMessage | Rejection>;

/** Outcome of looking up an idempotency key. */
export type Admission =
  /** Seen before, answered before. */
  | { readonly kind: 'answered'; readonly response: ResponseMessage }
  /** Seen before by this process and still under way. */
  | { readonly kind: 'under_way'; readonly answer: Promise<ResponseMessage | Rejection> }
  /** To be sent, as `run` says: a repetition in the meantime then waits for the same answer. */
  | { readonly kind: 'first'; readonly run: Run }
  | { readonly kind: 'interrupted'; readonly run: Run; readonly sending: Required<Sending> };

export interface IdempotencyOptions {
  readonly store: Store;
  readonly time: SteadyTime;
  readonly clock: Clock;
  /** Writes of one owner that are remembered at a time; ten times as many in all. */
  readonly keysMax: number;
}

/** Sender of a write under an idempotency key. */
export interface Sender {
  readonly owner: string;
  /** SHA-256 of its key's text, which another key of the same id does not have; undefined without a key. */
  readonly holder: string | undefined;
}

interface KeyedWrite {
  readonly operation: Operation;
  readonly digest: string;
  readonly holder: string | undefined;
}

interface UnderWay {
  readonly digest: string;
  readonly holder: string | undefined;
  readonly answer: Promise<ResponseMessage | Rejection>;
  /** The first answer, once it is given and while it is not on disk yet. */
  response?: ResponseMessage;
}

const OWNERS_FULL = 10;
const REFUSED_MAX = 10_000;

/** Keys are 1 to 255 visible ASCII characters. */
const KEY_TEXT = /^[\x21-\x7e]{1,255}$/;

/** Validates the text of a caller's idempotency key, named as the caller's interface names it, or of a key in the request. */
export function checkKeyText(caller: Pick<Caller, 'idempotencyKey' | 'iface'>, ownKey?: string): Rejection | undefined {
  const { iface } = caller;
  const key = ownKey ?? caller.idempotencyKey;
  if (key === undefined || KEY_TEXT.test(key)) return undefined;
  const field =
    ownKey !== undefined
      ? 'idempotency_key'
      : iface === 'rest'
        ? 'Idempotency-Key'
        : iface === 'grpc'
          ? 'idempotency-key'
          : 'idempotency_key';
  const found = /^[\x21-\x7e]*$/.test(key) ? `${key.length} characters` : 'a space or another character';
  return invalidField(field, `expected 1 to 255 visible ASCII characters, found ${found}`);
}

/**
 * Remembers every write that carries an idempotency key for 24 hours: a repetition gets the first answer and never
 * makes a second order, also after a crash. The write is on disk as it will be sent, with the packet id it will be sent
 * under, before it leaves the daemon; the backend's replay protection does the rest when the daemon dies in between.
 */
export class IdempotencyKeys {
  readonly #rows: IdempotencyRows;
  readonly #underWay = new Map<string, UnderWay>();

  constructor({ store, time, clock, keysMax }: IdempotencyOptions) {
    const bounds = { perOwner: keysMax, inAll: OWNERS_FULL * keysMax, refused: REFUSED_MAX };
    this.#rows = new IdempotencyRows(store, time, bounds, (ms, action) => clock.after(ms, action));
  }

  /** Keys that are remembered, those of refused writes aside. */
  get count(): number {
    return this.#rows.count;
  }

  /** Says what the write is; another request under the same key is rejected. */
  admit({ owner, holder }: Sender, key: string, operation: Operation, request: Message): Admission | Rejection {
    const digest = digestOf(operation, request);
    const name = new KeyName(owner, key);
    const underWay = this.#underWay.get(name.id);
    if (underWay !== undefined) {
      const { answer, response } = underWay;
      if (underWay.holder !== holder) return replaced(key);
      if (underWay.digest !== digest) return mismatch(key);
      return response === undefined ? { kind: 'under_way', answer } : { kind: 'answered', response };
    }
    const write = { operation, digest, holder };
    const row = this.#rows.get(name);
    if (row === undefined) {
      return this.#rows.hasRoom(owner) ? { kind: 'first', run: (send) => this.#run(name, write, undefined, send) } : full();
    }
    if (row.holder !== holder) return replaced(key);
    if (row.operation !== operation.name || row.digest !== digest) return mismatch(key);
    if (row.response === undefined) {
      const sending = { packet: row.packet, firstSentMs: this.#rows.ageOf(row) };
      return { kind: 'interrupted', sending, run: (send) => this.#run(name, write, row, send) };
    }
    return { kind: 'answered', response: fromBinary(operation.messages.ResponseSchema, row.response) as ResponseMessage };
  }

  stop(): void {
    this.#rows.stop();
  }

  /** Sends a write; a repetition in the meantime waits for the same answer. */
  #run(
    name: KeyName,
    write: KeyedWrite,
    known: IdempotencyRow | undefined,
    send: Parameters<Run>[0],
  ): Promise<ResponseMessage | Rejection> {
    const answer = this.#sent(name, write, known, send);
    const { digest, holder } = write;
    this.#underWay.set(name.id, { digest, holder, answer });
    return answer;
  }

  /** Result of a keyed write, once persisted. */
  async #sent(
    name: KeyName,
    { operation, digest, holder }: KeyedWrite,
    known: IdempotencyRow | undefined,
    send: Parameters<Run>[0],
  ): Promise<ResponseMessage | Rejection> {
    const { C2SSchema, ResponseSchema } = operation.messages;
    let row = known;
    let isEntered = known !== undefined;
    let kept: { readonly response: ResponseMessage; readonly stored: Promise<void> } | undefined;
    let refund: (() => Promise<void>) | undefined;
    const commit: Commit = (packet, sent) => {
      const begun = this.#rows.begin(name, { operation: operation.name, digest, packet, ...(holder === undefined ? {} : { holder }) });
      row = begun;
      return {
        enter: () => {
          isEntered = true;
          return this.#rows.enter(name, { ...begun, request: toBinary(C2SSchema, withoutSecrets(operation, sent)) });
        },
        refunded(action) {
          refund = action;
        },
      };
    };
    const interrupted = known?.request && {
      sending: { packet: known.packet, firstSentMs: this.#rows.ageOf(known) },
      request: fromBinary(C2SSchema, known.request),
    };
    try {
      const result = await send(interrupted === undefined ? commit : undefined, interrupted);
      if (row !== undefined && isEntered) {
        // Nothing left the daemon: the same key may try again.
        if (result instanceof Rejection) {
          if (known === undefined) await this.#rows.withdraw(name, row);
        } else {
          const response = toBinary(ResponseSchema, result);
          // An accepted write is on the backend's disk under the packet id, and a retry after a crash gets the same answer from there: the
          // caller need not wait for a second copy. A refusal is stored only here.
          if (result.retType === RET_SUCCEED) kept = { response: result, stored: this.#rows.answer(name, row, response) };
          else await this.#rows.refuse(name, row, response);
        }
      }
      await refund?.();
      return result;
    } finally {
      const leave = () => {
        this.#underWay.delete(name.id);
        this.#rows.leave(name);
      };
      // Until the answer is on disk, a repetition has it from here.
      const underWay = this.#underWay.get(name.id);
      if (kept === undefined || underWay === undefined) leave();
      else {
        underWay.response = kept.response;
        kept.stored.then(leave, leave);
      }
    }
  }
}

/** The request without its credentials: nothing may be kept of them, not even a digest, which could be used to guess them. */
function withoutSecrets(operation: Operation, request: Message): Message {
  const secrets = secretsOf(operation);
  if (secrets.length === 0) return request;
  const copy = clone(operation.messages.C2SSchema, request);
  for (const field of secrets) clearField(copy, field);
  return copy;
}

const secretsOf = memoized(({ shape, messages }: Operation): readonly DescField[] => {
  const names = new Set(shape.filter(({ secret }) => secret).map(({ field }) => field));
  return messages.C2SSchema.fields.filter(({ name }) => names.has(name));
});

/** Digest of the caller's request, before anything is filled in. A packet id counts retries and is left out. */
function digestOf(operation: Operation, request: Message): string {
  const asked = askedText(operation.messages.C2SSchema, withoutSecrets(operation, request), 'packetID');
  return hash('sha256', `${operation.name}\0${asked}`, 'base64');
}

function mismatch(key: string): Rejection {
  return new Rejection(
    'idempotency.mismatch',
    `idempotency key ${quoted(key)} was used for another request; use a new key for a new request`,
  );
}

/** Neither its answer nor another order: the holder of the key before may have sent the same. */
function replaced(key: string): Rejection {
  const message = `idempotency key ${quoted(key)} was used before the caller's key was replaced by another of its id; use a new key for a new request`;
  return new Rejection('idempotency.mismatch', message);
}

function full(): Rejection {
  const message = 'too many idempotency keys were used in the last 24 hours; new ones are refused for now';
  return new Rejection('limit.idempotency_keys', message, { retryAfterSeconds: ROOM_SECONDS });
}
