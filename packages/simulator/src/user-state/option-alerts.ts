import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { Emitter } from '@svc-gateway/contract/emitter';
import { withFields } from '@svc-gateway/contract/field-path';
import { type EventAlertItem, EventAlertItemSchema } from '@svc-gateway/contract/generated/Qot_GetOptionEventAlert_pb';
import type { Store } from '@svc-gateway/storage';
import { Refusal } from '../refusal.js';
import { Keys } from './keys.js';
import type { Writes } from './writes.js';

const ALERTS_MAX = 200;

/** The login user's alerts of unusual option trades. A change of several takes effect as a whole, and is on disk once its promise resolves. */
export class OptionAlerts {
  readonly #writes: Writes;
  readonly #table;
  /** In the order of keys, which is that of creation. */
  readonly #alerts = new Map<bigint, EventAlertItem>();
  readonly #keys: Keys;
  readonly #listeners = new Emitter();

  constructor(store: Store, writes: Writes) {
    this.#writes = writes;
    this.#table = store.table<Uint8Array>('sim-option-alerts');
    const items = [...this.#table.entries()].map(([, bytes]) => fromBinary(EventAlertItemSchema, bytes));
    for (const item of items.sort((a, b) => (a.key < b.key ? -1 : 1))) this.#alerts.set(item.key, item);
    this.#keys = new Keys(store, 'option alert', this.#alerts.keys());
  }

  /** The newest first. Not to be changed. */
  all(): readonly EventAlertItem[] {
    return [...this.#alerts.values()].reverse();
  }

  get(key: bigint): EventAlertItem | undefined {
    return this.#alerts.get(key);
  }

  /** Called when any of them has changed. */
  onChange(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  add(items: readonly EventAlertItem[]): Promise<void> | Refusal {
    if (this.#alerts.size + items.length > ALERTS_MAX) return new Refusal(`at most ${ALERTS_MAX} option alerts`);
    const enabled = (item: EventAlertItem) => (Object.hasOwn(item, 'enable') ? item.enable : true);
    return this.put(items.map((item) => withFields(item, { key: this.#keys.next(), enable: enabled(item) })));
  }

  /** Puts alerts in the place of those of their keys. */
  put(items: readonly EventAlertItem[]): Promise<void> {
    for (const item of items) this.#alerts.set(item.key, item);
    const written = this.#writes.write((transaction) => {
      for (const item of items) transaction.put(this.#table, String(item.key), toBinary(EventAlertItemSchema, item));
      this.#keys.keep(transaction);
    });
    this.#tell();
    return written;
  }

  remove(keys: readonly bigint[]): Promise<void> {
    for (const key of keys) this.#alerts.delete(key);
    const written = this.#writes.write((transaction) => {
      for (const key of keys) transaction.remove(this.#table, String(key));
    });
    this.#tell();
    return written;
  }

  #tell(): void {
    this.#listeners.emit();
  }
}
