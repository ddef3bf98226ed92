import { addDays } from '../../contract/time.js';
import type { Calendar } from './calendar.js';
import { createCalendar } from './calendars.js';
import { type FutureProduct, futureProducts } from './data/futures.js';
import { exact } from './exact.js';
import type { FutureTerms, Instrument } from './instrument.js';
import { instrumentId } from './instrument-id.js';
import { lastTradeDate } from './last-trade.js';
import { flatTickTable } from './tick-tables.js';

/** Dated contracts are those that expire in the twelve months from here: fixed, because the world does not change with the clock. */
const FIRST_EXPIRY_MONTH = '2026-11';
const EXPIRY_MONTHS = 12;

/** The products' continuous contracts, each followed by its dated ones. Last trade dates are the exchanges', in every calendar mode. */
export function futures(): readonly Instrument[] {
  return futureProducts.flatMap(contractsOf);
}

function contractsOf(product: FutureProduct): Instrument[] {
  const { market, root, name, exchange, currency, calendar, listed, volatility, underlying } = product;
  const tickTable = flatTickTable(`${market}-${root}`, product.tick);
  const terms = { multiplier: exact(product.multiplier), ...(underlying === undefined ? {} : { underlying }) };
  const contract = (suffix: string, label: string, dailyVolume: number, future: FutureTerms): Instrument => {
    const code = `${root}${suffix}`;
    const symbol = `${market}.${code}`;
    return {
      symbol,
      market,
      code,
      id: instrumentId(symbol),
      name: `${name} (${label})`,
      kind: 'future',
      exchange,
      currency,
      lotSize: 1,
      tickTable,
      listDate: listed,
      referencePrice: exact(product.price),
      sharesIssued: 0n,
      dailyVolume,
      volatility: volatility / 100,
      calendar,
      future,
    };
  };
  // CME trades part of most US holidays, but does not count them as business days.
  const businessDays = createCalendar(calendar === 'US_FUTURE' ? 'US' : calendar, 'calendar');
  const dated = contractMonths(product, businessDays).map(({ month, lastTradeDate }, position) => {
    const label = month.slice(2).replace('-', '');
    return contract(label, label, volumeAt(product, position), { ...terms, isMain: false, lastTradeDate });
  });
  return [contract('main', 'main', product.traded, { ...terms, isMain: true, lastTradeDate: '' }), ...dated];
}

/** The months, "2026-12", that a product lists and that expire in the window, with their last trading days. */
function contractMonths({ months, lastTrade }: FutureProduct, businessDays: Calendar): { month: string; lastTradeDate: string }[] {
  const contracts: { month: string; lastTradeDate: string }[] = [];
  // Energy expires in the month before the contract's own.
  for (let month = FIRST_EXPIRY_MONTH, ahead = 0; ahead <= EXPIRY_MONTHS; month = monthAfter(month), ahead += 1) {
    if (!listsMonth(months, Number(month.slice(5)))) continue;
    const lastDay = lastTradeDate(lastTrade, month, businessDays);
    const expires = lastDay >= FIRST_EXPIRY_MONTH && lastDay < monthAfter(FIRST_EXPIRY_MONTH, EXPIRY_MONTHS);
    if (expires) contracts.push({ month, lastTradeDate: lastDay });
  }
  return contracts;
}

function listsMonth(months: FutureProduct['months'], month: number): boolean {
  if (months === 'monthly') return true;
  return months === 'quarterly' ? month % 3 === 0 : months.includes(month);
}

function monthAfter(month: string, count = 1): string {
  let later = month;
  for (let i = 0; i < count; i += 1) later = addDays(`${later}-01`, 31).slice(0, 7);
  return later;
}

/** Trading thins out from one contract month to the next. */
function volumeAt({ traded }: FutureProduct, position: number): number {
  return Math.max(50, Math.round(traded / 5 ** position));
}
