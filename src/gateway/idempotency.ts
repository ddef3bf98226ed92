import { createHash } from 'node:crypto';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '../contract/clock.js';
import { PacketIDSchema } from '../contract/generated/Common_pb.js';
import type { Operation } from '../contract/operation.js';
import { Rejection } from '../contract/rejection.js';
import type { Store, Table } from '../storage/index.js';
import type { ResponseMessage } from './backend.js';
import { RET_SUCCEED } from './responses.js';

/** The protocol's replay protection of one write: the backend answers a repetition of it with the first answer. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

interface Entry {
  readonly operation: string;
  /** SHA-256 of the request, so that another body under the same key is noticed. */
  readonly digest: string;
  /** Epoch ms of the first request. */
  readonly at: number;
  readonly packet: PacketId;
  /** The first answer; absent while its outcome is not known. */
  readonly response?: Uint8Array;
}

/** What a write with an idempotency key is. */
export type Admission =
  /** Seen before, answered before. */
  | { readonly kind: 'answered'; readonly response: ResponseMessage }
  /** Seen before by this process and still under way. */
  | { readonly kind: 'under_way'; readonly answer: Promise<ResponseMessage | Rejection> }
  /** Seen before a crash, outcome unknown: to be sent again under its first packet id, past the gates it has passed. */
  | { readonly kind: 'resumed'; readonly packet: PacketId }
  | { readonly kind: 'first' };

const KEPT_MS = 24 * 3600 * 1000;
const SWEEP_MS = 10 * 60 * 1000;

/** Keys are 1 to 255 visible ASCII characters. */
const KEY_TEXT = /^[\x21-\x7e]{1,255}$/;

/**
 * Remembers every write that carries an idempotency key for 24 hours: a repetition gets the first answer and never
 * makes a second order, also after a crash. The key is on disk with the packet id it will be sent under before the
 * write leaves the daemon; the backend's replay protection does the rest when the daemon dies in between.
 */
export class IdempotencyKeys {
  readonly #table: Table<Entry>;
  readonly #entries: Map<string, Entry>;
  readonly #underWay = new Map<string, { digest: string; answer: Promise<ResponseMessage | Rejection> }>();
  #cancelSweep: () => void = () => undefined;

  constructor(
    readonly store: Store,
    readonly clock: Clock,
  ) {
    this.#table = store.table<Entry>('idempotency');
    this.#entries = new Map(this.#table.entries());
    this.#sweep();
  }

  /** Says what the write is; another request under the same key is rejected. */
  look(owner: string, key: string, operation: Operation, request: Message): Admission | Rejection {
    if (!KEY_TEXT.test(key)) {
      return new Rejection(
        'request.invalid',
        `idempotency key: expected 1 to 255 visible ASCII characters, found ${key.length} characters`,
        {
          field: 'idempotency_key',
        },
      );
    }
    const id = entryId(owner, key);
    const digest = digestOf(operation, request);
    const underWay = this.#underWay.get(id);
    if (underWay !== undefined) {
      return underWay.digest === digest ? { kind: 'under_way', answer: underWay.answer } : mismatch(key);
    }
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.at + KEPT_MS <= this.clock.now()) return { kind: 'first' };
    if (entry.operation !== operation.name || entry.digest !== digest) return mismatch(key);
    if (entry.response === undefined) return { kind: 'resumed', packet: entry.packet };
    return { kind: 'answered', response: fromBinary(operation.messages.ResponseSchema, entry.response) as ResponseMessage };
  }

  /**
   * Runs a write under its key, so that a repetition in the meantime waits for the same answer. `send` is called with
   * a function that must be awaited before the write leaves the daemon.
   */
  async run(
    owner: string,
    key: string,
    operation: Operation,
    request: Message,
    send: (commit: (packet: PacketId) => Promise<void>) => Promise<ResponseMessage | Rejection>,
  ): Promise<ResponseMessage | Rejection> {
    const id = entryId(owner, key);
    const digest = digestOf(operation, request);
    const commit = async (packet: PacketId) => {
      const known = this.#entries.get(id);
      if (known?.digest === digest && known.packet.serialNo === packet.serialNo && known.packet.connId === packet.connId) return;
      await this.#put(id, { operation: operation.name, digest, at: this.clock.now(), packet });
    };
    const answer = send(commit).then(async (result) => {
      const entry = this.#entries.get(id);
      // A rejection means that nothing left the daemon: the same key may try again.
      if (entry !== undefined && !(result instanceof Rejection)) {
        const kept = this.#put(id, { ...entry, response: toBinary(operation.messages.ResponseSchema, result) });
        // What the backend accepted is on its disk under the packet id, and a repetition after a crash gets the same answer
        // from there: the caller need not wait for a second copy. A refusal is kept nowhere else.
        if (result.retType === RET_SUCCEED) kept.catch(() => undefined);
        else await kept;
      }
      return result;
    });
    this.#underWay.set(id, { digest, answer });
    try {
      return await answer;
    } finally {
      this.#underWay.delete(id);
    }
  }

  stop(): void {
    this.#cancelSweep();
  }

  async #put(id: string, entry: Entry): Promise<void> {
    this.#entries.set(id, entry);
    await this.store.write((change) => change.put(this.#table, id, entry));
  }

  #sweep(): void {
    const now = this.clock.now();
    const old = [...this.#entries].filter(([, entry]) => entry.at + KEPT_MS <= now).map(([id]) => id);
    for (const id of old) this.#entries.delete(id);
    if (old.length > 0) {
      const removed = this.store.write((change) => {
        for (const id of old) change.remove(this.#table, id);
      });
      // Rows that stay are too old to count, and are swept by the next process.
      removed.catch(() => undefined);
    }
    this.#cancelSweep = this.clock.at(now + SWEEP_MS, () => this.#sweep());
  }
}

function entryId(owner: string, key: string): string {
  return `${owner}\n${key}`;
}

function digestOf(operation: Operation, request: Message): string {
  const { C2SSchema } = operation.messages;
  // A caller's packet id counts its tries; what is asked is the same.
  const asked = C2SSchema.fields.some(({ name }) => name === 'packetID')
    ? Object.assign(create(C2SSchema), request, { packetID: create(PacketIDSchema, { connID: 0n, serialNo: 0 }) })
    : request;
  return createHash('sha256').update(operation.name).update('\0').update(toBinary(C2SSchema, asked)).digest('base64');
}

function mismatch(key: string): Rejection {
  return new Rejection('idempotency.mismatch', `idempotency key "${key}" was used for another request; use a new key for a new request`);
}
