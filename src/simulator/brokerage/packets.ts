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
  /** Numbers the records in the order in which they came. */
  readonly sequence: number;
  /** What was asked, so that another request under the same number is not given this answer. */
  readonly fingerprint: string;
}

const PACKETS_MAX = 100_000;

/**
 * Accepted writes by their packet numbers, kept on disk: the newest 100,000. Of those before, each connection's highest serial
 * number is known, so that a repetition of one that is forgotten is refused and not carried out again.
 */
export class Packets {
  readonly #answers = new Map<string, PacketRecord>();
  /** Connection → highest serial number that is forgotten. */
  readonly #forgotten: Map<string, number>;
  #sequence = 0;

  constructor(
    private readonly tables: Pick<Tables, 'packets' | 'forgottenPackets'>,
    private readonly max = PACKETS_MAX,
  ) {
    const kept = [...tables.packets.entries()].sort(([, a], [, b]) => a.sequence - b.sequence);
    for (const [key, record] of kept) {
      this.#answers.set(key, record);
      this.#sequence = record.sequence;
    }
    this.#forgotten = new Map(tables.forgottenPackets.entries());
  }

  /** The answer to the first request of this number; a refusal when that one asked for something else, or when it is not known. */
  find(packet: PacketId | undefined, fingerprint: string): PacketAnswer | Refusal | undefined {
    if (packet === undefined) return undefined;
    const name = `packetID ${packet.connId}/${packet.serialNo}`;
    const record = this.#answers.get(keyOf(packet));
    if (record?.fingerprint === fingerprint) return record;
    if (record !== undefined) return new Refusal(`${name} was already used for another request, answered with order ${record.orderIdEx}`);
    if (packet.serialNo > (this.#forgotten.get(String(packet.connId)) ?? -1)) return undefined;
    return new Refusal(`${name} is too old: whether it was carried out is not known any more, look at the orders`);
  }

  /** Remembers an answer in the transaction of the write itself. */
  remember(packet: PacketId, answer: Omit<PacketRecord, 'sequence'>, transaction: Transaction): void {
    const key = keyOf(packet);
    this.#sequence += 1;
    const record = { ...answer, sequence: this.#sequence };
    this.#answers.set(key, record);
    transaction.put(this.tables.packets, key, record);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= this.max) break;
      this.#forget(oldest, transaction);
    }
  }

  #forget(key: string, transaction: Transaction): void {
    this.#answers.delete(key);
    transaction.remove(this.tables.packets, key);
    const [connection = '', serialNo = ''] = key.split('/');
    const highest = Math.max(Number(serialNo), this.#forgotten.get(connection) ?? 0);
    this.#forgotten.set(connection, highest);
    transaction.put(this.tables.forgottenPackets, connection, highest);
  }
}

function keyOf(packet: PacketId): string {
  return `${packet.connId}/${packet.serialNo}`;
}
