import type { Archive, Transaction } from '@svc-gateway/storage';
import { Refusal } from '../refusal.js';
import type { PacketAnswer, PacketId, PacketRecord } from './packet.js';

/** Accepted writes by their packet numbers, kept on disk as long as the orders that they made: so that a repetition is always recognised. */
export class Packets {
  /** Records that are being written to disk; undefined for one that is being removed. */
  readonly #underWay = new Map<string, PacketRecord | undefined>();

  constructor(private readonly packets: Archive<PacketRecord>) {}

  /** The answer to the first request of this number; a refusal when that one asked for something else. */
  find(packet: PacketId | undefined, fingerprint: string): PacketAnswer | Refusal | undefined {
    const record = packet && this.#recordOf(packet);
    if (packet === undefined || record === undefined || record.fingerprint === fingerprint) return record;
    const { connId, serialNo } = packet;
    return new Refusal(
      `packetID ${connId}/${serialNo} was already used for another request, answered with order ${record.orderIdEx}`,
      'broker.packet',
    );
  }

  /** The answer that a write was given under this number; undefined where none was accepted under it. */
  answerTo(packet: PacketId): PacketAnswer | undefined {
    return this.#recordOf(packet);
  }

  /** Remembers an answer in the transaction of the write itself; {@link settle} it when that is on disk. */
  remember(packet: PacketId, record: PacketRecord, transaction: Transaction): void {
    const key = keyOf(packet);
    this.#underWay.set(key, record);
    transaction.put(this.packets, key, record);
  }

  /** Forgets an answer that the disk refused; {@link settle} it when that is on disk. */
  forget(packet: PacketId, transaction: Transaction): void {
    const key = keyOf(packet);
    this.#underWay.set(key, undefined);
    transaction.remove(this.packets, key);
  }

  settle(packet: PacketId): void {
    this.#underWay.delete(keyOf(packet));
  }

  #recordOf(packet: PacketId): PacketRecord | undefined {
    const key = keyOf(packet);
    return this.#underWay.has(key) ? this.#underWay.get(key) : this.packets.get(key);
  }
}

function keyOf({ connId, serialNo }: PacketId): string {
  return `${connId}/${serialNo}`;
}
