import type { Currency } from '@svc-gateway/contract/markets';
import { dayNumber } from '@svc-gateway/contract/time';
import { accounts } from '@svc-gateway/simulator/brokerage/account';
import type { CalendarMode } from '@svc-gateway/simulator/world';
import fc from 'fast-check';
import type { CorporateAction, CorporateActions } from '../../packages/simulator/src/companies/corporate-actions.js';
import { dec, Fixture, ids } from './brokerage.js';
import { CrashingStore } from './crashing-store.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The accounts of a session. */
export const sessionAccounts = accounts.map(({ id }) => id);
const [SG_CASH, JP_CASH, MY_CASH] = [281756478396547005n, 281756478396547006n, 281756478396547007n];

const currencyOf: Readonly<Record<string, Currency>> = { HK: 'HKD', US: 'USD', SH: 'CNH', SG: 'SGD', JP: 'JPY', MY: 'MYR' };

/** Every third day something goes ex: dividends mostly, splits and consolidations with fractions, now and then rights. */
const busyIssuers: CorporateActions = {
  corporateActions(symbol, from, to) {
    const found: CorporateAction[] = [];
    if (symbol.includes('HSI')) return found;
    for (let number = dayNumber(from) ?? 0; number <= (dayNumber(to) ?? 0); number += 1) {
      if (number % 3 !== 0) continue;
      const day = (later: number) => new Date((number + later) * DAY).toISOString().slice(0, 10);
      const days = { announcedDay: day(-20), exDay: day(0), recordDay: day(1), payDay: day(4) };
      const currency = currencyOf[symbol.slice(0, 2)] ?? 'HKD';
      if (number % 4 === 0) found.push({ ...days, kind: 'split', ratio: number % 8 === 0 ? [3n, 2n] : [1n, 7n] });
      else if (number % 5 === 0) found.push({ ...days, kind: 'rights', ratio: [1n, 4n], price: dec('100'), currency });
      else found.push({ ...days, kind: 'dividend', cash: dec('1.23'), currency, special: false });
    }
    return found;
  },
};

const securities = [
  { account: ids.hkCash, code: '00700', symbol: 'HK.00700', price: 600, lot: 100 },
  { account: ids.hkMargin, code: '00700', symbol: 'HK.00700', price: 600, lot: 100 },
  { account: ids.us, code: 'AAPL', symbol: 'US.AAPL', price: 200, lot: 1 },
  { account: ids.cn, code: '600519', symbol: 'SH.600519', price: 1400, lot: 100 },
  { account: SG_CASH, code: 'D05', symbol: 'SG.D05', price: 40, lot: 100 },
  { account: JP_CASH, code: '7203', symbol: 'JP.7203', price: 3000, lot: 100 },
  { account: MY_CASH, code: '1155', symbol: 'MY.1155', price: 10, lot: 100 },
  { account: ids.futures, code: 'HSImain', symbol: 'HK.HSImain', price: 26_000, lot: 1 },
] as const;

/** One step of a session. */
export const sessionStep = fc.record({
  kind: fc.constantFrom('trade', 'trade', 'trade', 'rest', 'day', 'days', 'crash'),
  of: fc.constantFrom(...securities),
  side: fc.constantFrom(1, 1, 2, 3),
  lots: fc.integer({ min: 1, max: 60 }),
  /** Percent of the reference price. */
  moved: fc.integer({ min: -4, max: 4 }),
  hours: fc.integer({ min: 1, max: 200 }),
  flushed: fc.integer({ min: 0, max: 20 }),
});

type Step = typeof sessionStep extends fc.Arbitrary<infer T> ? T : never;

/** A brokerage through trades, days, crashes and restarts: after each step, as it then is. */
export async function* session(mode: CalendarMode, steps: readonly Step[]): AsyncIterable<Fixture> {
  let store = new CrashingStore();
  let f = Fixture.open({ store, mode, corporateActions: busyIssuers });
  for (const { kind, of, side, lots, moved, hours, flushed } of steps) {
    const price = Math.round(of.price * (1 + moved / 100));
    const order = { code: of.code, qty: lots * of.lot, price, trdSide: side, timeInForce: 1 };
    const trade = () => {
      f.book(of.symbol, [[`${price}`, 10_000n]], [[`${price}`, 10_000n]]);
      return f.tryPlace(of.account, order);
    };
    if (kind === 'trade') {
      await trade();
      await f.pass();
    } else if (kind === 'rest') await f.tryPlace(of.account, { ...order, price: side === 1 ? price / 2 : price * 2 });
    else if (kind === 'day') await f.pass(DAY);
    else if (kind === 'days') await f.pass(hours * HOUR);
    else {
      store.hold();
      void trade();
      f.clock.advance(hours * HOUR);
      await store.flush(flushed);
      store = store.crashed();
      f = f.restarted(hours * HOUR, store);
      await f.pass(0);
    }
    yield f;
  }
}
