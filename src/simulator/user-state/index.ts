import type { Store } from '../../storage/index.js';
import { OptionAlerts } from './option-alerts.js';
import { PriceReminders } from './price-reminders.js';
import { StockNotes } from './stock-notes.js';
import { Watchlists } from './watchlists.js';

export { withFields } from './option-alerts.js';
export type { PriceReminder } from './price-reminders.js';

/** What the brokerage keeps for its login user beside accounts. The simulation has one user. */
export class UserState {
  readonly watchlists: Watchlists;
  readonly reminders: PriceReminders;
  readonly optionAlerts: OptionAlerts;
  readonly notes: StockNotes;

  constructor(store: Store) {
    this.watchlists = new Watchlists(store);
    this.reminders = new PriceReminders(store);
    this.optionAlerts = new OptionAlerts(store);
    this.notes = new StockNotes(store);
  }
}
