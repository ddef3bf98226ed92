import type { Store } from '@svc-gateway/storage';
import { OptionAlerts } from './option-alerts.js';
import { PriceReminders } from './price-reminders.js';
import { StockNotes } from './stock-notes.js';
import { Watchlists } from './watchlists.js';
import { Writes } from './writes.js';

export type { PriceReminder } from './price-reminders.js';

/** State that the brokerage keeps for its login user beside accounts. The simulation has one user. */
export class UserState {
  readonly watchlists: Watchlists;
  readonly reminders: PriceReminders;
  readonly optionAlerts: OptionAlerts;
  readonly notes: StockNotes;

  readonly #writes: Writes;

  constructor(store: Store) {
    this.#writes = new Writes(store);
    this.watchlists = new Watchlists(store, this.#writes);
    this.reminders = new PriceReminders(store, this.#writes);
    this.optionAlerts = new OptionAlerts(store, this.#writes);
    this.notes = new StockNotes(store, this.#writes);
  }

  /** An answer that shows any of it, once that is on disk: at once where nothing is being written. */
  whenDurable<T>(answer: T): T | Promise<T> {
    return this.#writes.whenDurable(answer);
  }
}
