import type { Transaction } from '../../storage/index.js';
import { Refusal } from '../refusal.js';
import { keyOfId } from '../row-keys.js';
import type { PacketAnswer, PacketId, PacketRange, PacketRecord } from './packet.js';
import type { Tables } from './tables.js';

const PACKETS_MAX = 2_000_000;
/** Most that are forgotten with one new packet, so that no write waits for a long clearing. */
const FORGOTTEN_AT_ONCE = 16;
const RANGE = 'range';
const NEWEST = 'newest';
/** Connections whose highest serial number is in memory; of others it is read when they write again. */
const CONNECTIONS_IN_MEMORY = 10_000;

/**
 * Accepted writes by their packet numbers: the newest two million, on disk. Of those before, each connection's highest serial
 * number is known, so that a repetition of one that is forgotten is refused and not carried out again.
 */
export class Packets {
  /** Those that are on their way to the disk. */
  readonly #underWay = new Map<string, PacketRecord>();
  /** Connection → highest serial number that is forgotten. */
  readonly #forgotten: Map<string, number>;
  /** Connection → highest serial number that is kept or on its way to be; the connection that wrote last is last. */
  readonly #highest = new Map<string, number>();
  #latest: string | undefined;
  #range: Required<PacketRange>;
  /** This process has written it, with what `tracedFrom` is. */
  #isRangeKept = false;

  constructor(
    private readonly tables: Pick<
      Tables,
      'packets' | 'packetOrder' | 'packetRange' | 'newestPacket' | 'forgottenPackets' | 'highestPackets'
    >,
    private readonly max = PACKETS_MAX,
  ) {
    const range = tables.packetRange.get(RANGE) ?? { oldest: 1n, newest: 0n };
    const own = tables.newestPacket.get(NEWEST) ?? 0n;
    const newest = own > range.newest ? own : range.newest;
    this.#range = { oldest: range.oldest, newest, tracedFrom: range.tracedFrom ?? newest + 1n };
    this.#forgotten = new Map(tables.forgottenPackets.entries());
  }

  /** The answer to the first request of this number; a refusal when that one asked for something else, or when it is not known. */
  find(packet: PacketId | undefined, fingerprint: string): PacketAnswer | Refusal | undefined {
    if (packet === undefined) return undefined;
    const record = this.#recordOf(packet);
    if (record?.fingerprint === fingerprint) return record;
    if (record !== undefined) {
      return new Refusal(
        `${nameOf(packet)} was already used for another request, answered with order ${record.orderIdEx}`,
        'broker.packet',
      );
    }
    if (packet.serialNo > (this.#forgotten.get(String(packet.connId)) ?? -1)) return undefined;
    return new Refusal(`${nameOf(packet)} is too old to tell whether it was carried out: check the orders`, 'broker.packet');
  }

  /** A number above all that its connection has used is not looked for on the disk. */
  #recordOf(packet: PacketId): PacketRecord | undefined {
    const key = keyOf(packet);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const { oldest, tracedFrom } = this.#range;
    if (oldest >= tracedFrom && packet.serialNo > this.#highestOf(String(packet.connId))) return undefined;
    return this.tables.packets.get(key);
  }

  #highestOf(connection: string): number {
    let highest = this.#highest.get(connection);
    if (highest === undefined) {
      highest = this.tables.highestPackets.get(connection) ?? -1;
      this.#keepHighest(connection, highest);
    }
    return highest;
  }

  #keepHighest(connection: string, highest: number): void {
    if (connection === this.#latest) {
      this.#highest.set(connection, highest);
      return;
    }
    this.#latest = connection;
    this.#highest.delete(connection);
    this.#highest.set(connection, highest);
    if (this.#highest.size <= CONNECTIONS_IN_MEMORY) return;
    const [longestSilent] = this.#highest.keys();
    if (longestSilent !== undefined) this.#highest.delete(longestSilent);
  }

  /** Remembers an answer in the transaction of the write itself; {@link settle} it when that is on disk. */
  remember(packet: PacketId, record: PacketRecord, transaction: Transaction): void {
    const { packets, packetOrder, packetRange, newestPacket, highestPackets } = this.tables;
    const key = keyOf(packet);
    this.#underWay.set(key, record);
    transaction.put(packets, key, record);
    const newest = this.#range.newest + 1n;
    transaction.put(packetOrder, keyOfId(newest), key);
    const connection = String(packet.connId);
    const highest = Math.max(packet.serialNo, this.#highestOf(connection));
    this.#keepHighest(connection, highest);
    transaction.put(highestPackets, connection, highest);
    const oldest = this.#forgetSurplus(newest, transaction);
    const isMoved = oldest !== this.#range.oldest;
    this.#range = { oldest, newest, tracedFrom: this.#range.tracedFrom };
    // What moves with every packet is a row of its own, whose number is written once a flush.
    transaction.put(newestPacket, NEWEST, newest);
    if (isMoved || !this.#isRangeKept) transaction.put(packetRange, RANGE, this.#range);
    this.#isRangeKept = true;
  }

  settle(packet: PacketId): void {
    this.#underWay.delete(keyOf(packet));
  }

  /** The number of the oldest one that stays. */
  #forgetSurplus(newest: bigint, transaction: Transaction): bigint {
    const { packets, packetOrder } = this.tables;
    let { oldest } = this.#range;
    const until = oldest + BigInt(FORGOTTEN_AT_ONCE);
    while (newest - oldest >= BigInt(this.max) && oldest < until) {
      const key = packetOrder.get(keyOfId(oldest));
      // The oldest may itself be on its way to the disk; then it goes with a later one.
      if (key === undefined) break;
      this.#underWay.delete(key);
      transaction.remove(packets, key);
      transaction.remove(packetOrder, keyOfId(oldest));
      this.#noteForgotten(key, transaction);
      oldest += 1n;
    }
    return oldest;
  }

  #noteForgotten(key: string, transaction: Transaction): void {
    const [connection = '', serialNo = ''] = key.split('/');
    const highest = Math.max(Number(serialNo), this.#forgotten.get(connection) ?? 0);
    this.#forgotten.set(connection, highest);
    transaction.put(this.tables.forgottenPackets, connection, highest);
  }
}

function keyOf(packet: PacketId): string {
  return `${packet.connId}/${packet.serialNo}`;
}

function nameOf({ connId, serialNo }: PacketId): string {
  return `packetID ${connId}/${serialNo}`;
}
