import { randomBytes } from 'node:crypto';
import type { PacketId } from '../backend.js';

/** The protocol's number for none. */
export const noPacket: PacketId = { connId: 0n, serialNo: 0 };

/** Numbers the writes of one sender, so that the brokerage recognises a repetition. */
export class PacketIds {
  // Random connection id of this process (63 bits), so that serial numbers can start at 1.
  readonly #connId = randomBytes(8).readBigUInt64BE() >> 1n || 1n;
  #serialNo = 0;

  next(): PacketId {
    return { connId: this.#connId, serialNo: ++this.#serialNo };
  }
}
