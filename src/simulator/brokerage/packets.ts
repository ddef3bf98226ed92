import type { Transaction } from '../../storage/index.js';
import { Refusal } from '../handler.js';
import { keyOfId } from './ids.js';
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

/** Numbers of the oldest and the newest packet kept, in the order in which they came; oldest > newest where there is none. */
export interface PacketRange {
  readonly oldest: bigint;
  readonly newest: bigint;
}

const PACKETS_MAX = 2_000_000n;
const KEPT_MS = 48 * 3_600_000;
/** Most that are forgotten with one new packet, so that no write waits for a long clearing. */
const FORGOTTEN_AT_ONCE = 16;
const RANGE = 'range';

/** Accepted writes by their packet numbers: the newest two million of the last 48 hours, on disk. */
export class Packets {
  /** Those that are on their way there. */
  readonly #underWay = new Map<string, PacketRecord>();
  #range: PacketRange;
  /** Of the oldest one kept, once it has been looked at. */
  #oldestTime: number | undefined;

  constructor(private readonly tables: Tables) {
    this.#range = tables.packetRange.get(RANGE) ?? { oldest: 1n, newest: 0n };
  }

  /** The answer to the first request of this number; a refusal when that one asked for something else. */
  find(packet: PacketId | undefined, fingerprint: string): PacketAnswer | Refusal | undefined {
    if (packet === undefined) return undefined;
    const key = keyOf(packet);
    const record = this.#underWay.get(key) ?? this.tables.packets.get(key);
    if (record === undefined) return undefined;
    if (record.fingerprint === fingerprint) return record;
    return new Refusal(
      `packetID ${packet.connId}/${packet.serialNo} was already used for another request, answered with order ${record.orderIdEx}`,
    );
  }

  /** Remembers an answer in the transaction of the write itself; {@link settle} it when that is on disk. */
  remember(packet: PacketId, record: PacketRecord, transaction: Transaction): void {
    const { packets, packetOrder, packetRange } = this.tables;
    const key = keyOf(packet);
    this.#underWay.set(key, record);
    transaction.put(packets, key, record);
    const newest = this.#range.newest + 1n;
    transaction.put(packetOrder, keyOfId(newest), key);
    this.#range = { oldest: this.#forgetOld(record.time, newest, transaction), newest };
    transaction.put(packetRange, RANGE, this.#range);
  }

  settle(packet: PacketId): void {
    this.#underWay.delete(keyOf(packet));
  }

  /** The number of the oldest one that stays. */
  #forgetOld(now: number, newest: bigint, transaction: Transaction): bigint {
    const { packets, packetOrder } = this.tables;
    let { oldest } = this.#range;
    for (let forgotten = 0; forgotten < FORGOTTEN_AT_ONCE && oldest < newest; forgotten++) {
      const surplus = newest - oldest >= PACKETS_MAX;
      if (!surplus && this.#oldestTime !== undefined && now - this.#oldestTime <= KEPT_MS) break;
      const key = packetOrder.get(keyOfId(oldest));
      // The oldest may itself be on its way to the disk.
      if (key === undefined) break;
      this.#oldestTime = packets.get(key)?.time ?? 0;
      if (!surplus && now - this.#oldestTime <= KEPT_MS) break;
      transaction.remove(packets, key);
      transaction.remove(packetOrder, keyOfId(oldest));
      this.#oldestTime = undefined;
      oldest += 1n;
    }
    return oldest;
  }
}

function keyOf(packet: PacketId): string {
  return `${packet.connId}/${packet.serialNo}`;
}
