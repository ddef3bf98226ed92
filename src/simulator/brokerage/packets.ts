import type { Transaction } from '../../storage/index.js';
import { Refusal } from '../handler.js';
import type { Tables } from './tables.js';

/** The caller's number of one write: a repetition carries the same. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

/** What an accepted write was answered with. */
export interface PacketAnswer {
  readonly orderId: bigint;
  readonly orderIdEx: string;
}

export interface PacketRecord extends PacketAnswer {
  /** Epoch ms. */
  readonly time: number;
  /** What was asked, so that another request under the same number is not given this answer. */
  readonly fingerprint: string;
}

const PACKETS_MAX = 100_000;
const KEPT_MS = 48 * 3_600_000;

/** Accepted writes by their packet numbers: the newest 100,000 of the last 48 hours, kept on disk. */
export class Packets {
  readonly #answers = new Map<string, PacketRecord>();

  constructor(private readonly tables: Tables) {
    const kept = [...tables.packets.entries()].sort(([, a], [, b]) => a.time - b.time);
    for (const [key, record] of kept) this.#answers.set(key, record);
  }

  /** The answer to the first request of this number; a refusal when that one asked for something else. */
  find(packet: PacketId | undefined, fingerprint: string): PacketAnswer | Refusal | undefined {
    const record = packet && this.#answers.get(keyOf(packet));
    if (record === undefined) return undefined;
    if (record.fingerprint === fingerprint) return record;
    return new Refusal(
      `packetID ${packet?.connId}/${packet?.serialNo} was already used for another request, answered with order ${record.orderIdEx}`,
    );
  }

  /** Remembers an answer in the transaction of the write itself. */
  remember(packet: PacketId, record: PacketRecord, transaction: Transaction): void {
    const key = keyOf(packet);
    this.#answers.set(key, record);
    transaction.put(this.tables.packets, key, record);
    for (const [oldest, { time }] of this.#answers) {
      if (this.#answers.size <= PACKETS_MAX && record.time - time <= KEPT_MS) break;
      this.#answers.delete(oldest);
      transaction.remove(this.tables.packets, oldest);
    }
  }
}

function keyOf(packet: PacketId): string {
  return `${packet.connId}/${packet.serialNo}`;
}
