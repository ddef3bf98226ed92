import { addDays } from '../../contract/time.js';
import { createCalendar } from './calendars.js';
import { type FutureProduct, futureProducts } from './data/futures.js';
import { exact } from './exact.js';
import type { FutureTerms, Instrument } from './instrument.js';
import { instrumentId } from './instrument-id.js';
import { lastTradeDate } from './last-trade.js';
import { flatTickTable } from './tick-tables.js';

/** Dated contracts are those of the twelve months from here: fixed, because the world does not change with the clock. */
const FIRST_CONTRACT_MONTH = '2026-11';
const CONTRACT_MONTHS = 12;

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
  const dated = monthsOf(product).map((month, position) =>
    contract(month.slice(2, 4) + month.slice(5, 7), month.slice(2).replace('-', ''), volumeAt(product, position), {
      ...terms,
      isMain: false,
      lastTradeDate: lastTradeDate(product.lastTrade, month, businessDays),
    }),
  );
  return [contract('main', 'main', product.traded, { ...terms, isMain: true, lastTradeDate: '' }), ...dated];
}

function monthsOf({ months }: FutureProduct): string[] {
  const all: string[] = [];
  for (let month = FIRST_CONTRACT_MONTH; all.length < CONTRACT_MONTHS; month = addDays(`${month}-01`, 31).slice(0, 7)) all.push(month);
  if (months === 'monthly') return all;
  const listed = months === 'quarterly' ? [3, 6, 9, 12] : months;
  return all.filter((month) => listed.includes(Number(month.slice(5))));
}

/** Trading thins out from one contract month to the next. */
function volumeAt({ traded }: FutureProduct, position: number): number {
  return Math.max(50, Math.round(traded / 5 ** position));
}
