import { formatDecimal } from '@svc-gateway/contract/decimal';
import { dividendMarket } from '@svc-gateway/contract/list-enums';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { calendar as declared } from '@svc-gateway/contract/operations';
import { requireDay } from '@svc-gateway/contract/time';
import type { CashDividend } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { given } from '../../view/messages.js';
import { dayNamed as dayOf, marketOf } from '../../view/requests.js';
import { marketCalendar } from '../../world/index.js';
import type { AnswerTo } from '../table.js';

type Needed = Facts<'world' | 'companies' | 'listings' | 'caches'>;

const COUNT_MAX = 1000;

interface Row {
  readonly listing: Listing;
  readonly dividend: CashDividend;
}

/** Qot_GetDividendCalendar: cash dividends of shares and funds that go ex on a day, as far as they have been announced; in the world's order. */
export const getDividendCalendar: AnswerTo<typeof declared.getDividendCalendar> = (facts, request) => {
  const market = marketOf(request.market, dividendMarket);
  if (market instanceof Refusal) return market;
  const day = dayOf('date', request.date);
  if (day instanceof Refusal) return day;
  const { dataFrom } = request;
  const count = given(request, 'count') ?? COUNT_MAX;
  if (dataFrom < 0) return new Refusal(`data_from ${dataFrom}: expected 0 or more`, 'broker.value');
  if (!(count >= 1 && count <= COUNT_MAX)) return new Refusal(`count ${count}: expected 1 to ${COUNT_MAX}`, 'broker.value');
  const rows = rowsOf(facts, market, request.date);
  return { itemList: rows.slice(dataFrom, dataFrom + count).map(itemOf), allCount: rows.length };
};

/** Rows by market and day: a month of each of the larger ones. */
const rowsOfDays: CacheKind<readonly Row[]> = { max: 128 };

/** All of a day, as far as they had been announced when today began. */
function rowsOf(facts: Needed, market: QuoteMarket, date: string): readonly Row[] {
  return facts.caches.get(rowsOfDays, `${market} ${date}`, facts.world.today(marketCalendar(market)), () => findRows(facts, market, date));
}

function findRows({ world, companies, listings }: Needed, market: QuoteMarket, date: string): readonly Row[] {
  const day = requireDay(date);
  const found: Row[] = [];
  for (const kind of ['equity', 'etf'] as const) {
    const payers = world.listed({ market, kind }, date);
    found.push(...payers.flatMap((payer) => dividendsOf({ world, companies }, listings.of(payer), day)));
  }
  return found;
}

function dividendsOf({ world, companies }: Facts<'world' | 'companies'>, listing: Listing, day: number): readonly Row[] {
  const today = world.today(listing.instrument);
  return (companies.timeline(listing.instrument)?.on(day) ?? [])
    .filter((action) => action.kind === 'dividend')
    .filter(({ announcedDay }) => announcedDay < today)
    .map((dividend) => ({ listing, dividend }));
}

function itemOf({ listing: { security, instrument }, dividend }: Row) {
  const { cash, currency, special, recordDay, exDay, payDay } = dividend;
  return {
    security,
    name: instrument.name,
    statement: `${special ? 'Special dividend' : 'Dividend'}: ${currency} ${formatDecimal(cash)} per ${instrument.kind === 'etf' ? 'unit' : 'share'}`,
    recordDate: recordDay,
    exDate: exDay,
    dividendPayableDate: payDay,
  };
}
