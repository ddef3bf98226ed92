import { createHash } from 'node:crypto';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Store, Table } from '@svc-gateway/storage';
import type { Random } from '../deps.js';

/** A device that was verified, and its ticket. */
interface Device {
  readonly account: string;
  /** Hex SHA-256. */
  readonly ticketHash: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** How long a ticket spares its device the code. */
const TICKET_MS = 30 * 24 * 3_600_000;
/** Maximum of verified devices; the oldest verifications are forgotten. */
const DEVICES_MAX = 1_000;
const TICKET_BYTES = 32;

/** Verified devices. A ticket belongs to one device of one account, and works until it expires. Kept on disk. */
export class Devices {
  readonly #table: Table<Device>;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly store: Store,
  ) {
    this.#table = store.table('sim-server-devices');
  }

  /** A new ticket for a device; an earlier one of it works no more. Resolves when it is on disk. */
  async verify(account: string, deviceId: string): Promise<string> {
    const ticket = this.random(TICKET_BYTES).toString('base64url');
    const device: Device = { account, ticketHash: hashOf(ticket), expiresAt: this.clock.now() + TICKET_MS };
    const others = [...this.#table.entries()].filter(([id]) => id !== deviceId);
    const oldest = others.sort(([, a], [, b]) => a.expiresAt - b.expiresAt).slice(0, Math.max(0, others.length + 1 - DEVICES_MAX));
    await this.store.write((change) => {
      for (const [id] of oldest) change.remove(this.#table, id);
      change.put(this.#table, deviceId, device);
    });
    return ticket;
  }

  /** Whether a ticket still stands for this device and account. */
  accepts(ticket: string, account: string, deviceId: string): boolean {
    const device = this.#table.get(deviceId);
    return device?.account === account && device.ticketHash === hashOf(ticket) && this.clock.now() < device.expiresAt;
  }

  /** Ends every ticket now. */
  async expireAll(): Promise<void> {
    const devices = [...this.#table.entries()];
    await this.store.write((change) => {
      for (const [id, device] of devices) change.put(this.#table, id, { ...device, expiresAt: 0 });
    });
  }
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
