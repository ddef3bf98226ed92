import { randomBytes } from 'node:crypto';
import type { PacketId } from './idempotency-rows.js';

/** The protocol's number for none. */
export const noPacket: PacketId = { connId: 0n, serialNo: 0 };

/**
 * Numbers the writes of one sender. Those to a backend that keeps their answers in the change that records them have none: what is
 * found without its answer after a crash has not been carried out there, and there is nothing to recognise a repetition by.
 */
export class PacketIds {
  // Of this process alone, so that serial numbers can start at 1: 63 random bits.
  readonly #connId = randomBytes(8).readBigUInt64BE() >> 1n || 1n;
  #serialNo = 0;

  /** @param recordedInOrder the backend records a write in the gateway's own store. */
  constructor(private readonly recordedInOrder: boolean) {}

  next(): PacketId {
    return this.recordedInOrder ? noPacket : { connId: this.#connId, serialNo: ++this.#serialNo };
  }
}
