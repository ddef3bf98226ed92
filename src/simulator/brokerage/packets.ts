import type { Transaction } from '../../storage/index.js';
import { Refusal } from '../refusal.js';
import { keyOfId } from '../row-keys.js';
import type { PacketAnswer, PacketId, PacketRecord } from './packet.js';
import type { Tables } from './tables.js';

const PACKETS_MAX = 2_000_000;
/** Most that are forgotten with one new packet, so that no write waits for a long clearing. */
const FORGOTTEN_AT_ONCE = 16;
const OLDEST = 'oldest';
const NEWEST = 'newest';
/** Connections whose highest serial number is in memory; of others it is read when they write again. */
const CONNECTIONS_IN_MEMORY = 10_000;

/**
 * Accepted writes by their packet numbers: the newest two million, on disk. Of those before, each connection's highest serial
 * number is known, so that a repetition of one that is forgotten is refused and not carried out again.
 */
export class Packets {
  /** Records that are being written to disk. */
  readonly #underWay = new Map<string, PacketRecord>();
  /** Connection → highest serial number that is forgotten. */
  readonly #forgotten: Map<string, number>;
  /** Connection → highest serial number that is kept or on its way to be; the connection that wrote last is last. */
  readonly #highest = new Map<string, number>();
  #latest: string | undefined;
  /** Numbers of the records that are kept, in the order in which they came; there is none where the oldest is above the newest. */
  #oldest: bigint;
  #newest: bigint;

  constructor(
    private readonly tables: Pick<Tables, 'packets' | 'packetOrder' | 'packetRange' | 'forgottenPackets' | 'highestPackets'>,
    private readonly max = PACKETS_MAX,
  ) {
    this.#oldest = tables.packetRange.get(OLDEST) ?? 1n;
    this.#newest = tables.packetRange.get(NEWEST) ?? 0n;
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

  /** The answer that a write was given under this number; undefined where none was accepted under it, or where it is forgotten. */
  answerTo(packet: PacketId): PacketAnswer | undefined {
    return this.#recordOf(packet);
  }

  /** A number above all that its connection has used is not looked for on the disk. */
  #recordOf(packet: PacketId): PacketRecord | undefined {
    const key = keyOf(packet);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    if (packet.serialNo > this.#highestOf(String(packet.connId))) return undefined;
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
    const { packets, packetOrder, packetRange, highestPackets } = this.tables;
    const key = keyOf(packet);
    this.#underWay.set(key, record);
    transaction.put(packets, key, record);
    this.#newest += 1n;
    transaction.put(packetOrder, keyOfId(this.#newest), key);
    transaction.put(packetRange, NEWEST, this.#newest);
    const connection = String(packet.connId);
    const highest = Math.max(packet.serialNo, this.#highestOf(connection));
    this.#keepHighest(connection, highest);
    transaction.put(highestPackets, connection, highest);
    this.#forgetSurplus(transaction);
  }

  settle(packet: PacketId): void {
    this.#underWay.delete(keyOf(packet));
  }

  #forgetSurplus(transaction: Transaction): void {
    const { packets, packetOrder, packetRange } = this.tables;
    const before = this.#oldest;
    const until = before + BigInt(FORGOTTEN_AT_ONCE);
    while (this.#newest - this.#oldest >= BigInt(this.max) && this.#oldest < until) {
      const key = packetOrder.get(keyOfId(this.#oldest));
      // The oldest may itself be on its way to the disk; then it goes with a later one.
      if (key === undefined) break;
      this.#underWay.delete(key);
      transaction.remove(packets, key);
      transaction.remove(packetOrder, keyOfId(this.#oldest));
      this.#noteForgotten(key, transaction);
      this.#oldest += 1n;
    }
    if (this.#oldest !== before) transaction.put(packetRange, OLDEST, this.#oldest);
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
