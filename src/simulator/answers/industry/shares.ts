import type { Decimal } from '../../../contract/decimal.js';
import type { Currency, QuoteMarket } from '../../../contract/markets.js';
import type { Issuer } from '../../companies/issuers.js';
import type { Row } from '../../screen/board.js';
import type { Hit } from '../../screen/index.js';
import type { Facts } from '../../view/facts.js';
import { membersOf } from '../../view/plates.js';
import type { IndustrialPlate } from '../../world/chains.js';
import { platesOf } from '../../world/plates.js';
import { sharesIn } from '../research/valuation-group.js';

type Needed = Facts<'world' | 'companies' | 'listings' | 'boards'>;

/** The markets that have plates. */
export const chainMarkets: readonly QuoteMarket[] = (['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'] as const).filter(
  (market) => platesOf(market).length > 0,
);

/** The shares of industrial plates in some markets, each once, with the quotes of the minute: market by market. */
export async function sharesOf(
  facts: Needed,
  plates: readonly IndustrialPlate[],
  markets: readonly QuoteMarket[],
): Promise<readonly Hit[]> {
  const found: Hit[] = [];
  for (const market of markets) {
    const members = new Set(
      plates.flatMap((one) => {
        const plate = one.in(market);
        return plate === undefined ? [] : membersOf(facts, plate);
      }),
    );
    if (members.size > 0) found.push(...(await sharesIn(facts, { market, members })));
  }
  return found;
}

/** Of rows, which last for a minute. */
const values = new WeakMap<Row, Decimal>();

/** What a share's company is worth at its price, in the currency of the listing: as the snapshot says. */
function companyValue({ companies }: Facts<'companies'>, row: Row): Decimal {
  const known = values.get(row);
  if (known !== undefined) return known;
  const { listing, quote } = row;
  const value = quote.last * companies.figures(listing.instrument, quote.tradingDay).issuedShares;
  values.set(row, value);
  return value;
}

/**
 * What the companies of some shares are worth together, at the exchange rates of the day. Each counts once, however many of its shares are there: at its
 * home listing, or at the first one where that is not among them. For `inTurns`.
 */
export function* worthOf(facts: Facts<'companies'>, hits: readonly Hit[], currency: Currency): Generator<void, Decimal> {
  const { companies } = facts;
  const counted = new Map<Issuer, Row>();
  for (const { row } of hits) {
    const { instrument } = row.listing;
    const issuer = companies.issuer(instrument);
    if (!counted.has(issuer) || issuer.home === instrument) counted.set(issuer, row);
  }
  let sum = 0n;
  for (const row of counted.values()) {
    const { listing, quote } = row;
    sum += companies.inCurrency(companyValue(facts, row), listing.instrument.currency, currency, quote.tradingDay);
    yield;
  }
  return sum;
}
