import type { Clock } from '@svc-gateway/contract/clock';
import { addDays } from '@svc-gateway/contract/time';
import type { CorporateActions } from '../../companies/corporate-actions.js';
import type { Market } from '../../market/simulated-market.js';
import { Pace } from '../../pace.js';
import type { Calendar } from '../../world/calendar.js';
import type { CalendarName, World } from '../../world/index.js';
import { accounts } from '../account.js';
import type { Change, Records } from '../records.js';
import { assignEarly } from './assign-early.js';
import { bookCorporateActions, endingOf } from './corporate-actions.js';
import { EndedAhead } from './ended-ahead.js';
import { expireContracts } from './expire-contracts.js';
import { bookInterest } from './interest.js';
import { endExpiredOrders, markFutures } from './mark-futures.js';
import { type DayMoment, keyOfMoment, lastMoment, momentAfter } from './moments.js';
import { openAccounts } from './opening.js';
import { type EndOrders, Roll } from './roll.js';
import { rollContracts } from './roll-contracts.js';
import { settle } from './settle.js';

/** The calendars by whose days accounts' money and positions go. */
const CALENDARS = [
  'HK',
  'US',
  'CN',
  'SG',
  'JP',
  'MY',
  'HK_FUTURE',
  'US_FUTURE',
  'SG_FUTURE',
  'JP_FUTURE',
] as const satisfies readonly CalendarName[];

/** Moments booked in one turn of the event loop while days are caught up with: a few milliseconds' worth. */
const MOMENTS_A_TURN = 10;
/** Changes that may wait for the disk while days are caught up with. */
const CHANGES_AHEAD_MAX = 500;

export interface DayRollOptions {
  readonly clock: Clock;
  readonly world: World;
  readonly market: Market;
  readonly records: Records;
  readonly corporateActions: CorporateActions;
  readonly endOrders: EndOrders;
  /** As `endOrders`, a slice a turn, each in a change of its own. */
  readonly endOrdersInSlices: (symbol: string, why: string) => void;
}

interface Upcoming {
  readonly calendar: Calendar;
  moment: DayMoment;
}

/**
 * Books what days bring, at the moments of each market's day: at local midnight interest accrues, and what clears that day becomes settled
 * money; as trading begins, what goes ex that day is booked; at the close, futures are marked to the market.
 *
 * Nothing is booked until {@link catchUp} is called. Each moment is one change, written with its marker: what is marked is on disk with all that it did, and is never done again. Days
 * that passed while nothing ran are caught up with in their order. A clock that is set back rolls nothing until it has come
 * to the moments after the marker.
 */
export class DayRolls {
  readonly #options: DayRollOptions;
  /** The next moment of each calendar. */
  readonly #upcoming: Upcoming[];
  /** Earliest next moment of the calendars, epoch ms. */
  #next = 0;
  #stopTimer: () => void = () => undefined;
  readonly #ahead: EndedAhead;

  constructor(options: DayRollOptions) {
    this.#options = options;
    const { world, records } = options;
    this.#begin();
    this.#upcoming = CALENDARS.map((name) => {
      const calendar = world.calendar(name);
      return { calendar, moment: momentAfter(calendar, records.rolled(name) ?? '') };
    });
    const calendars = this.#upcoming.map(({ calendar }) => calendar);
    this.#ahead = new EndedAhead(options.clock, calendars, (calendar, day) => this.#endAhead(calendar, day));
    this.#ahead.start();
  }

  /** Books every moment that has come. To be called before anything is done that a roll could matter to. */
  catchUp(): void {
    const moments = this.#book();
    while (!moments.next().done);
  }

  /** As {@link catchUp}, a slice a turn and not far ahead of the disk: for a start after years. Until it is done, nothing is to be traded. */
  async catchUpInSlices(): Promise<void> {
    const pace = new Pace(MOMENTS_A_TURN);
    let ahead = 0;
    for (const booked of this.#book()) {
      const wait = pace.step();
      if (wait !== undefined) await wait;
      if (booked) ahead += 1;
      if (ahead < CHANGES_AHEAD_MAX) continue;
      ahead = 0;
      await this.#options.records.journal.whenIdle();
    }
  }

  /** Books one moment at each step, which says whether there was anything to write. */
  *#book(): Generator<boolean, void> {
    const { clock, records } = this.#options;
    const now = clock.now();
    if (now < this.#next) return;
    // Nobody comes in again while days are being booked.
    this.#next = Number.POSITIVE_INFINITY;
    let change = records.begin();
    let next = this.#earliest();
    for (; next.moment.time <= now; next = this.#earliest()) {
      this.#roll(change, next.calendar, next.moment);
      next.moment = momentAfter(next.calendar, keyOfMoment(next.moment));
      // Moments that book nothing share a change with the next.
      const booked = !isEmpty(change);
      if (booked) {
        this.#commit(change);
        change = records.begin();
      }
      yield booked;
    }
    if (change.rolls.size > 0) this.#commit(change);
    this.#next = next.moment.time;
    this.#stopTimer();
    this.#stopTimer = clock.at(this.#next, () => this.catchUp());
  }

  close(): void {
    this.#ahead.close();
    this.#stopTimer();
    this.#next = Number.POSITIVE_INFINITY;
  }

  /** Ends what is ordered of securities that go ex on a day but for cash. */
  #endAhead(calendar: Calendar, day: string): void {
    const { world, records, corporateActions, endOrdersInSlices } = this.#options;
    const from = addDays(calendar.previousTradingDay(day), 1);
    const symbols = new Set(
      accounts.flatMap((account) => [...records.openOrders(account)].flatMap(({ legs }) => legs.map(({ symbol }) => symbol))),
    );
    for (const symbol of symbols) {
      if (world.instrument(symbol)?.calendar !== calendar.name) continue;
      const why = endingOf(symbol, corporateActions.corporateActions(symbol, from, day));
      if (why !== undefined) endOrdersInSlices(symbol, why);
    }
  }

  /** The first start: accounts get their opening balances, and days count from here. */
  #begin(): void {
    const { clock, world, records } = this.#options;
    const now = clock.now();
    const change = records.begin();
    openAccounts(records, change, world, now);
    for (const name of CALENDARS) {
      if (records.rolled(name) === undefined) records.putRoll(change, name, keyOfMoment(lastMoment(world.calendar(name), now)));
    }
    if (change.transactions.length > 0 || change.rolls.size > 0) this.#commit(change);
  }

  #earliest(): Upcoming {
    return this.#upcoming.reduce((first, other) => (other.moment.time < first.moment.time ? other : first));
  }

  #roll(change: Change, calendar: Calendar, moment: DayMoment): void {
    const { world, market, records, corporateActions, endOrders } = this.#options;
    const roll = new Roll(world, market, records, change, calendar, moment);
    switch (moment.phase) {
      case 'begin':
        // Interest is for the day that has ended, before this day's money arrives.
        bookInterest(roll);
        settle(roll);
        break;
      case 'open':
        bookCorporateActions(roll, corporateActions, endOrders);
        break;
      case 'close':
        markFutures(roll);
        endExpiredOrders(roll, endOrders);
        expireContracts(roll, world, corporateActions);
        assignEarly(roll, world, corporateActions, endOrders);
        rollContracts(roll, endOrders);
        break;
    }
    records.putRoll(change, calendar.name, keyOfMoment(moment));
  }

  /** A failed disk is told by the journal to the next one who waits for it. */
  #commit(change: Change): void {
    this.#options.records.commit(change).catch(() => undefined);
  }
}

function isEmpty({ transactions, positions, orders }: Change): boolean {
  return transactions.length === 0 && positions.size === 0 && orders.size === 0;
}
