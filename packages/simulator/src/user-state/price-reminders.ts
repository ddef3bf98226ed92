import { Emitter } from '@svc-gateway/contract/emitter';
import type { Store, Transaction } from '@svc-gateway/storage';
import { Refusal } from '../refusal.js';
import { Keys } from './keys.js';
import type { Writes } from './writes.js';

/** A condition on a security's figures, and how its coming true is told. */
export interface PriceReminder {
  readonly key: bigint;
  /** "HK.00700". */
  readonly symbol: string;
  /** Qot_Common.PriceReminderType. */
  readonly type: number;
  /** In the type's unit: a price, percent, shares or money. */
  readonly value: number;
  readonly note: string;
  /** Qot_Common.PriceReminderFreq. */
  readonly freq: number;
  readonly enabled: boolean;
  /** Qot_Common.PriceReminderMarketStatus; empty: regular hours. */
  readonly sessions: readonly number[];
  /** The trading day on which it told last; empty where it never did. */
  readonly toldOn: string;
}

/** As the row holds it: the key is the row's. */
type Row = Omit<PriceReminder, 'key'>;

/** As the servers of the field have it. */
const SAME_TYPE_MAX = 10;
const REMINDERS_MAX = 2_000;

/** The price reminders of the login user. Every change is on disk once its promise resolves. */
export class PriceReminders {
  readonly #writes: Writes;
  readonly #table;
  readonly #keys: Keys;
  /** By symbol, each in the order of keys, which is that of creation. */
  readonly #bySymbol = new Map<string, Map<bigint, PriceReminder>>();
  readonly #listeners = new Emitter<string>();
  #count = 0;

  constructor(store: Store, writes: Writes) {
    this.#writes = writes;
    this.#table = store.table<Row>('sim-price-reminders');
    const rows = [...this.#table.entries()].map(([key, row]): PriceReminder => ({ ...row, key: BigInt(key) }));
    for (const reminder of rows.sort((a, b) => (a.key < b.key ? -1 : 1))) this.#keep(reminder);
    this.#keys = new Keys(
      store,
      'price reminder',
      rows.map(({ key }) => key),
    );
  }

  symbols(): readonly string[] {
    return [...this.#bySymbol.keys()];
  }

  of(symbol: string): readonly PriceReminder[] {
    return [...(this.#bySymbol.get(symbol)?.values() ?? [])];
  }

  get(symbol: string, key: bigint): PriceReminder | undefined {
    return this.#bySymbol.get(symbol)?.get(key);
  }

  /** Called with the symbol whose reminders have changed. */
  onChange(listener: (symbol: string) => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Adds a reminder under a new key. */
  async add(terms: Omit<PriceReminder, 'key' | 'toldOn' | 'enabled'>): Promise<bigint | Refusal> {
    const same = this.of(terms.symbol).filter(({ type }) => type === terms.type);
    if (same.length >= SAME_TYPE_MAX) return new Refusal(`${terms.symbol} has ${SAME_TYPE_MAX} reminders of this type: delete one first`);
    if (this.#count >= REMINDERS_MAX) return new Refusal(`at most ${REMINDERS_MAX} price reminders`);
    const key = this.#keys.next();
    await this.#put({ ...terms, key, enabled: true, toldOn: '' }, (transaction) => this.#keys.keep(transaction));
    return key;
  }

  /** Puts a reminder in the place of the one of its key. */
  put(reminder: PriceReminder): Promise<void> {
    return this.#put(reminder, () => undefined);
  }

  /** Ends reminders of a symbol. */
  remove(symbol: string, keys: readonly bigint[]): Promise<void> {
    const own = this.#bySymbol.get(symbol);
    for (const key of keys) if (own?.delete(key)) this.#count -= 1;
    if (own?.size === 0) this.#bySymbol.delete(symbol);
    const written = this.#writes.write((transaction) => {
      for (const key of keys) transaction.remove(this.#table, String(key));
    });
    this.#tell(symbol);
    return written;
  }

  #put(reminder: PriceReminder, also: (transaction: Transaction) => void): Promise<void> {
    this.#keep(reminder);
    const { key, ...row } = reminder;
    const written = this.#writes.write((transaction) => {
      transaction.put(this.#table, String(key), row);
      also(transaction);
    });
    this.#tell(reminder.symbol);
    return written;
  }

  #keep(reminder: PriceReminder): void {
    const { symbol, key } = reminder;
    const own = this.#bySymbol.get(symbol) ?? new Map<bigint, PriceReminder>();
    if (!own.has(key)) this.#count += 1;
    own.set(key, reminder);
    this.#bySymbol.set(symbol, own);
  }

  #tell(symbol: string): void {
    this.#listeners.emit(symbol);
  }
}
