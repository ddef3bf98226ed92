import { addDays } from '../../contract/time.js';
import type { CorporateAction, CorporateActions } from '../companies/corporate-actions.js';
import type { Calendar } from '../world/calendar.js';
import type { World } from '../world/index.js';
import { equityFacts, trait } from './fundamentals.js';

const RECORD_DAYS = 2;
const PAY_DAYS = 15;

/** The dividend that the snapshot shows of a stock, paid once a year. */
export class YearlyDividends implements CorporateActions {
  constructor(private readonly world: World) {}

  corporateActions(symbol: string, from: string, to: string): readonly CorporateAction[] {
    const instrument = this.world.instrument(symbol);
    if (instrument?.kind !== 'equity') return [];
    const cash = equityFacts(instrument).dividendPerShare;
    if (cash === 0n) return [];
    const calendar = this.world.calendar(instrument);
    const actions: CorporateAction[] = [];
    for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year += 1) {
      const exDay = calendar.nextTradingDay(addDays(`${year}-01-01`, Math.floor(trait(instrument, 'ex-dividend day') * 330)));
      if (exDay < from || exDay > to) continue;
      actions.push({
        kind: 'dividend',
        announcedDay: addDays(exDay, -30),
        exDay,
        recordDay: after(calendar, exDay, RECORD_DAYS),
        payDay: after(calendar, exDay, PAY_DAYS),
        cash,
        currency: instrument.currency,
        special: false,
      });
    }
    return actions;
  }
}

function after(calendar: Calendar, day: string, tradingDays: number): string {
  let later = day;
  for (let left = tradingDays; left > 0; left -= 1) later = calendar.nextTradingDay(later);
  return later;
}
