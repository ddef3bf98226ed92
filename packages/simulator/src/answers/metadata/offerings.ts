import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { ipoEvent } from '@svc-gateway/contract/enums';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { addDays, dayNumber, epochSeconds, parseLocal, requireDay } from '@svc-gateway/contract/time';
import { type Offering, type OfferingEvent, offeringOf } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import { mix, uniform } from '../../rng/random.js';
import type { Facts } from '../../view/facts.js';
import { multiple } from '../../view/figures.js';
import { type Listing, secondsOf } from '../../view/listings.js';
import { membersOf } from '../../view/plates.js';
import { daysOf } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';

const RANGE_DAYS_MAX = 366;
const COMPACT_DAY = /^(\d{4})(\d{2})(\d{2})$/;

const numbers = new Map<string, number>(ipoEvent.members.map(({ name, public: number }) => [name, number]));

/** svc.ipo_calendar: what happens to a market's offerings from day to day, in order of date. Futures markets have none. */
export const getIpoCalendar: AnswerTo<typeof declared.getIpoCalendar> = (facts, request) => {
  const market = quoteMarketNumbered(request.market);
  if (market === undefined) return new Refusal(`invalid market ${request.market}`, 'broker.value');
  const from = dayOf('begin_date', request.beginDate);
  if (from instanceof Refusal) return from;
  const to = dayOf('end_date', request.endDate);
  if (to instanceof Refusal) return to;
  const days = daysOf('begin_date', from, 'end_date', to, RANGE_DAYS_MAX);
  if (days instanceof Refusal) return days;
  const wanted = new Set(request.eventTypes);
  const all = request.market === HK_FUTURE ? [] : offerings(facts, market.name, from, to);
  const eventList = all.flatMap((offering) => {
    const listing = facts.listings.of(offering.equity);
    const today = facts.world.today(offering.equity);
    const isPriced = offering.pricedOn <= today;
    return offering.events
      .map(({ event, day }) => ({ day, eventType: numbers.get(event) ?? 0 }))
      .filter(({ day, eventType }) => day >= from && day <= to && (wanted.size === 0 || wanted.has(eventType)))
      .map(({ day, eventType }) => ({
        security: listing.security,
        name: listing.instrument.name,
        eventType,
        date: day.replaceAll('-', ''),
        timestamp: epochSeconds(parseLocal(day, listing.market.timeZone)),
        ipoPriceMin: decimalToNumber(isPriced ? offering.price : offering.priceMin),
        ipoPriceMax: decimalToNumber(isPriced ? offering.price : offering.priceMax),
        issueSize: offering.size,
      }));
  });
  return { eventList: eventList.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0)) };
};

/** Qot_Common.QotMarket. */
const HK_FUTURE = 2;

function dayOf(field: string, text: string): string | Refusal {
  const [, year, month, day] = COMPACT_DAY.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  if (year !== undefined && dayNumber(date) !== undefined) return date;
  return new Refusal(`${field}: expected a date as yyyyMMdd, found ${quoted(text)}`, 'broker.value');
}

/** Qot_GetIpoList: offerings whose prospectus is out and that do not trade yet, the next one first. */
export const getIpoList: AnswerTo<typeof declared.getIpoList> = (facts, { market: number }) => {
  const market = quoteMarketNumbered(number);
  if (market === undefined) return new Refusal(`invalid market ${number}`, 'broker.value');
  if (number === HK_FUTURE || market.name === 'FX') return {};
  const today = facts.world.today(market.name === 'SH' || market.name === 'SZ' ? 'CN' : market.name);
  const coming = offerings(facts, market.name, today, today).filter(({ equity }) => equity.listDate > today);
  return { ipoList: coming.map((offering) => ipoData(facts, offering, today)) };
};

/** Inputs of every market's own part. */
interface Terms {
  readonly offering: Offering;
  readonly listing: Listing;
  readonly today: string;
  /** Price, or the ends of its range while it is not fixed. */
  readonly ipoPriceMin: number;
  readonly ipoPriceMax: number;
}

function ipoData(facts: Facts<'world' | 'companies' | 'market' | 'listings'>, offering: Offering, today: string) {
  const listing = facts.listings.of(offering.equity);
  const isPriced = offering.pricedOn <= today;
  const terms: Terms = {
    offering,
    listing,
    today,
    ipoPriceMin: decimalToNumber(isPriced ? offering.price : offering.priceMin),
    ipoPriceMax: decimalToNumber(isPriced ? offering.price : offering.priceMax),
  };
  const basic = {
    security: listing.security,
    name: listing.instrument.name,
    listTime: listing.instrument.listDate,
    listTimestamp: listing.listTimestamp,
  };
  const range = { ipoPriceMin: terms.ipoPriceMin, ipoPriceMax: terms.ipoPriceMax, issueSize: offering.size };
  switch (listing.market.name) {
    case 'HK':
      return { basic, hkExData: hongKong(terms) };
    case 'SH':
    case 'SZ':
      return { basic, cnExData: mainland(facts, terms) };
    case 'US':
      return { basic, usExData: range };
    case 'SG':
      return { basic, sgExData: { ...range, ...times(terms, 'apply_start', 'apply_end', 'winning') } };
    case 'MY':
      return {
        basic,
        myExData: {
          offerPrice: decimalToNumber(offering.price),
          issueSize: offering.size,
          ...times(terms, 'apply_start', 'apply_end', 'winning'),
        },
      };
    case 'JP':
      return {
        basic,
        jpExData: {
          ...range,
          lotSize: offering.equity.lotSize,
          eqtyIssuedShares: offering.equity.sharesIssued,
          issuedShares: offering.equity.sharesIssued - offering.size,
          industry: industryOf(facts, offering)?.name ?? '',
          marketSegment: decimalToNumber(offering.price * offering.equity.sharesIssued) < GROWTH_VALUE_MAX ? 'Growth' : 'Prime',
          ...times(terms, 'approval', 'issue_confirm', 'price_confirm_start', 'price_confirm_end', 'inquiry_start', 'inquiry_end'),
          ...times(terms, 'apply_start', 'apply_end', 'draw', 'winning'),
        },
      };
    case 'FX':
      return { basic };
  }
}

/** Yen: smaller companies list in the Growth market of Tokyo. */
const GROWTH_VALUE_MAX = 100_000_000_000;

/** Fields of the steps' days: `approvalTime` and `approvalTimestamp` of "approval". */
function times({ offering, listing }: Terms, ...events: readonly OfferingEvent[]): Record<string, string | number> {
  return Object.fromEntries(
    events.flatMap((event) => {
      const day = offering.days[event];
      if (day === undefined) return [];
      const name = event.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [
        [`${name}Time`, day],
        [`${name}Timestamp`, secondsOf(listing, day)],
      ];
    }),
  );
}

/** Brokerage, levies and trading fee that an applicant pays on top (HKEX, 1.0085 %). */
const APPLICATION_COSTS = 0.010085;

function hongKong(terms: Terms) {
  const { offering, listing, today, ipoPriceMin, ipoPriceMax } = terms;
  const { apply_start: start = '', apply_end: end = '' } = offering.days;
  const { lotSize } = offering.equity;
  return {
    ipoPriceMin,
    ipoPriceMax,
    listPrice: offering.pricedOn <= today ? decimalToNumber(offering.price) : 0,
    lotSize,
    entrancePrice: Math.round(ipoPriceMax * lotSize * (1 + APPLICATION_COSTS) * 100) / 100,
    isSubscribeStatus: start <= today && today <= end,
    applyEndTime: end,
    applyEndTimestamp: secondsOf(listing, end),
  };
}

function mainland(facts: Facts<'world' | 'companies' | 'market' | 'listings'>, terms: Terms) {
  const { offering, today } = terms;
  const { equity, key } = offering;
  const isPriced = offering.pricedOn <= today;
  const hasWon = (offering.days.winning ?? '') <= today;
  const figures = facts.companies.figures(equity, today);
  const price = isPriced ? offering.price : (offering.priceMin + offering.priceMax) / 2n;
  // One application unit for each thousandth of what is offered to the public.
  const upperLimit = (offering.publicSize / 1000n / 500n) * 500n;
  const code = equity.market === 'SH' ? `7${equity.code.slice(1)}` : equity.code;
  return {
    applyCode: code,
    issueSize: offering.size,
    onlineIssueSize: offering.publicSize,
    applyUpperLimit: upperLimit < 500n ? 500n : upperLimit,
    // 10,000 yuan of holdings for each 1,000 shares in Shanghai, 5,000 for each 500 in Shenzhen.
    applyLimitMarketValue: (upperLimit < 500n ? 500n : upperLimit) * 10n,
    isEstimateIpoPrice: !isPriced,
    ipoPrice: decimalToNumber(price),
    industryPeRate: industryMultiple(facts, offering, today),
    isEstimateWinningRatio: !hasWon,
    winningRatio: hasWon ? offering.winningRatio : Math.round(offering.winningRatio * (0.7 + 0.6 * uniform(key, 5)) * 100) / 100,
    issuePeRate: multiple(price, figures.earningsPerShare),
    ...times(terms, 'apply', 'winning'),
    isHasWon: hasWon,
    winningNumData: hasWon ? winningNumbers(key) : [],
  };
}

/** Numbers are drawn by their last digits: those of four to seven digits. */
function winningNumbers(key: number) {
  return [4, 5, 6, 7].map((digits) => {
    const stream = mix(key, digits);
    const drawn = Array.from({ length: 1 + Math.floor(4 * uniform(stream, 0)) }, (_, i) =>
      String(Math.floor(10 ** digits * uniform(stream, i + 1))).padStart(digits, '0'),
    );
    return { winningName: `last ${digits} digits`, winningInfo: [...new Set(drawn)].join(', ') };
  });
}

function industryOf({ companies }: Facts<'companies'>, { equity }: Offering) {
  const plates = companies.company(equity).plates(requireDay(equity.listDate));
  return plates.find(({ kind, market }) => kind === 'industry' && market === equity.market);
}

/** The value of a company's industry in its market over its earnings of the last fiscal years that are known; 0 where it has none. */
function industryMultiple(facts: Facts<'world' | 'companies' | 'market' | 'listings'>, offering: Offering, today: string): number {
  const industry = industryOf(facts, offering);
  if (industry === undefined) return 0;
  let [value, earnings] = [0n, 0n];
  for (const { instrument } of membersOf(facts, industry)) {
    const { issuedShares, netIncome } = facts.companies.figures(instrument, today);
    value += facts.market.quote(instrument).previousClose * issuedShares;
    earnings += netIncome;
  }
  return Math.max(0, multiple(value, earnings));
}

/** No prospectus comes earlier before the first day of trading, holidays included. */
const LEAD_DAYS = 60;

/** The markets whose offerings are listed together: the mainland's are. */
export function offeringMarkets(market: QuoteMarket): readonly QuoteMarket[] {
  return market === 'SH' || market === 'SZ' ? ['SH', 'SZ'] : [market];
}

/** The offerings of a market that are known today and of which something happens on the days [from, to], by first day of trading and symbol. */
function offerings({ world, companies }: Facts<'world' | 'companies'>, market: QuoteMarket, from: string, to: string): readonly Offering[] {
  return offeringMarkets(market)
    .flatMap((one) => [...world.instruments({ market: one, kind: 'equity' }), ...world.debuts(one)])
    .filter(({ listDate }) => listDate >= from && listDate <= addDays(to, LEAD_DAYS))
    .map((equity) => ({ equity, today: world.today(equity) }))
    .filter(({ equity, today }) => equity.listDate <= addDays(today, LEAD_DAYS))
    .map(({ equity, today }) => ({ offering: offeringOf(equity, companies.issuePrice(equity)), today }))
    .filter(({ offering, today }) => offering.announced <= today)
    .map(({ offering }) => offering)
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function order({ equity }: Offering): string {
  return `${equity.listDate} ${equity.symbol}`;
}
