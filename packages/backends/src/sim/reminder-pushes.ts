import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber, decimalToNumber } from '@svc-gateway/contract/decimal';
import { PriceReminderFreq } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as UpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { PushEvent } from '@svc-gateway/gateway/backend';
import { TrustedPrints } from '@svc-gateway/simulator/market';
import type { MarketEvent } from '@svc-gateway/simulator/market/market';
import type { PriceReminder } from '@svc-gateway/simulator/user-state';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { dayChange, lastPrice, reminderKinds, reminderSentence, reminderStatus } from '@svc-gateway/simulator/view/reminder-figures';
import { success } from './answers.js';

const PROTO_ID = 3019;

type Names = 'clock' | 'world' | 'market' | 'listings' | 'quoteBoard' | 'userState';

/** How a reminder's condition stood when it was last looked at. */
interface Seen {
  /** Terms when last seen: a changed reminder starts anew. */
  readonly terms: string;
  met: boolean;
}

interface Watched {
  readonly listing: Listing;
  readonly prints: TrustedPrints;
}

/** Watches the symbols with price reminders, and pushes each reminder once its condition is met. */
export class ReminderPushes {
  readonly #watched = new Map<string, Watched>();
  /** By symbol and key, of reminders that are on. */
  readonly #seen = new Map<string, Map<bigint, Seen>>();
  #stopListening: (() => void)[] = [];

  constructor(
    private readonly facts: Facts<Names>,
    private readonly emit: (event: PushEvent) => void,
    private readonly onDefect: (error: unknown) => void,
  ) {}

  start(): void {
    const { market, userState } = this.facts;
    this.#stopListening = [market.onEvent((event) => this.#onEvent(event)), userState.reminders.onChange((symbol) => this.#follow(symbol))];
    for (const symbol of userState.reminders.symbols()) this.#follow(symbol);
  }

  stop(): void {
    for (const stop of this.#stopListening) stop();
    this.#stopListening = [];
    for (const { listing } of this.#watched.values()) this.facts.market.unwatch(listing.instrument);
    this.#watched.clear();
  }

  /** Watches a symbol while it has an enabled reminder. */
  #follow(symbol: string): void {
    const { market, listings, userState } = this.facts;
    const reminders = userState.reminders.of(symbol);
    const on = new Set(reminders.flatMap(({ key, enabled }) => (enabled ? [key] : [])));
    this.#forget(symbol, on);
    const wanted = on.size > 0;
    const watched = this.#watched.get(symbol);
    if (watched !== undefined && !wanted) {
      market.unwatch(watched.listing.instrument);
      this.#watched.delete(symbol);
    }
    if (watched !== undefined || !wanted) return;
    // Delisted symbols trigger no reminders.
    const listing = listings.named(symbol);
    if (listing === undefined || listings.state(listing) !== 'listed') return;
    const prints = new TrustedPrints(listing.instrument, () => market.book(listing.instrument, 1));
    this.#watched.set(symbol, { listing, prints });
    market.watch(listing.instrument);
  }

  /** Reminders that are off or gone start anew when they return. */
  #forget(symbol: string, on: ReadonlySet<bigint>): void {
    const seen = this.#seen.get(symbol);
    for (const key of seen?.keys() ?? []) if (!on.has(key)) seen?.delete(key);
    if (seen?.size === 0) this.#seen.delete(symbol);
  }

  #onEvent(event: MarketEvent): void {
    const { instrument } = event;
    const watched = this.#watched.get(instrument.symbol);
    if (watched === undefined) return;
    const { listing, prints } = watched;
    prints.after(event, this.facts.clock.now());
    const status = reminderStatus(this.facts, listing);
    if (status === undefined) return;
    for (const reminder of this.facts.userState.reminders.of(instrument.symbol)) {
      if (!reminder.enabled || !sessionsOf(reminder).includes(status)) continue;
      // Conditions on the last trade wait for a trade that counts; a book is none.
      if (prints.isLastDoubtful && reminderKinds.get(reminder.type)?.book !== true) continue;
      this.#look(listing, reminder, status);
    }
  }

  #look(listing: Listing, reminder: PriceReminder, status: number): void {
    const kind = reminderKinds.get(reminder.type);
    const value = decimalFromNumber(reminder.value);
    const current = kind?.figure(this.facts, listing, status);
    if (kind === undefined || value === undefined || current === undefined) return;
    const met = kind.up ? current >= value : current <= value;
    const day = this.facts.market.quote(listing.instrument).tradingDay;
    const terms = `${reminder.type} ${reminder.value}${kind.ofDay ? ` ${day}` : ''}`;
    const ofSymbol = getOrInsert(this.#seen, reminder.symbol, () => new Map());
    const seen = ofSymbol.get(reminder.key);
    const before = seen?.terms === terms && seen.met;
    ofSymbol.set(reminder.key, { terms, met });
    // A condition that stays true is told once.
    if (!met || before) return;
    const { freq } = reminder;
    if (freq === PriceReminderFreq.PriceReminderFreq_OnceADay && reminder.toldOn === day) return;
    const enabled = freq !== PriceReminderFreq.PriceReminderFreq_OnlyOnce;
    const content = `${listing.instrument.name}: ${reminderSentence(kind, current, value)}`;
    const push = this.#pushOf(listing, reminder, status, current, content);
    if (enabled && reminder.toldOn === day) {
      this.emit(push);
      return;
    }
    // Persist the delivery before pushing: a crash must not deliver a one-off reminder twice.
    this.facts.userState.reminders
      .put({ ...reminder, enabled, toldOn: day })
      .then(() => this.emit(push))
      .catch(this.onDefect);
  }

  #pushOf(listing: Listing, reminder: PriceReminder, status: number, current: Decimal, content: string): PushEvent {
    const s2c = create(UpdatePriceReminder.S2CSchema, {
      security: listing.security,
      name: listing.instrument.name,
      price: decimalToNumber(lastPrice(this.facts, listing, status)),
      changeRate: decimalToNumber(dayChange(this.facts, listing, status)),
      marketStatus: status,
      content,
      note: reminder.note,
      key: reminder.key,
      type: reminder.type,
      setValue: reminder.value,
      curValue: decimalToNumber(current),
    });
    const about = { symbols: [reminder.symbol], accIds: [] };
    return { type: 'notify', protoId: PROTO_ID, message: success(UpdatePriceReminder, s2c), about };
  }
}

const REGULAR: readonly number[] = [1];

function sessionsOf({ sessions }: PriceReminder): readonly number[] {
  return sessions.length === 0 ? REGULAR : sessions;
}
