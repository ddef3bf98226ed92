import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { ReferenceType } from '@svc-gateway/contract/generated/Qot_GetReference_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import { localDate, parseLocal, zoneOffset } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms, locateTerms } from '../../view/locate.js';
import { lastTrade, staticInfo } from '../../view/static-info.js';
import { Exchange } from '../../world/exchange.js';
import { type FutureTerms, type Instrument, kinds, tickSize, tradedOn } from '../../world/index.js';
import type { AnswerTo } from '../table.js';

const SYMBOLS_MAX = 200;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Qot_GetFutureInfo: terms of futures. */
export const getFutureInfo: AnswerTo<typeof declared.getFutureInfo> = (facts, { securityList }) => {
  const listings = locateAllTerms(facts, securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const other = listings.find(({ instrument }) => instrument.kind !== 'future')?.instrument;
  if (other !== undefined) return new Refusal(`${other.symbol} is ${kinds[other.kind].noun}, no future`);
  return { futureInfoList: listings.flatMap((listing) => futureInfo(facts, listing)) };
};

function futureInfo(facts: Facts<'clock' | 'world' | 'listings'>, listing: Listing) {
  const { instrument } = listing;
  if (instrument.kind !== 'future') return [];
  const { product, month } = instrument.future;
  const owner = product.underlying === undefined ? undefined : facts.listings.named(product.underlying);
  const { unit, of, quoted } = contractUnits(product);
  return {
    name: instrument.name,
    security: listing.security,
    ...lastTrade(listing),
    owner: owner?.security,
    ownerOther: owner?.instrument.name ?? of,
    exchange: exchangePages[product.exchange]?.name ?? '',
    contractType: owner === undefined ? of : 'Index futures',
    contractSize: product.multiplier,
    contractSizeUnit: unit,
    quoteCurrency: product.currency,
    minVar: decimalToNumber(tickSize(instrument.tickTable, instrument.referencePrice)),
    minVarUnit: quoted,
    quoteUnit: quoted,
    tradeTime: sessionsOf(facts, listing),
    timeZone: zoneText(facts, listing),
    exchangeFormatUrl: exchangePages[product.exchange]?.page ?? '',
    origin: month === undefined ? facts.listings.of(tradedOn(instrument, facts.world.today(instrument))).security : undefined,
  };
}

/** The sessions of the present trading day, each in minutes from midnight of the day on which it begins. */
function sessionsOf({ clock, world }: Facts<'clock' | 'world'>, { instrument, market }: Listing) {
  const calendar = world.calendar(instrument);
  return calendar.sessions(calendar.tradingDay(clock.now())).map(({ start, end }) => {
    const midnight = parseLocal(localDate(start, market.timeZone), market.timeZone) ?? start;
    return { begin: (start - midnight) / MINUTE_MS, end: (end - midnight) / MINUTE_MS };
  });
}

function zoneText({ clock }: Facts<'clock'>, { market }: Listing): string {
  const hours = zoneOffset(clock.now(), market.timeZone) / HOUR_MS;
  return `UTC${hours < 0 ? '-' : '+'}${Math.abs(hours)}`;
}

type Product = FutureTerms['product'];

/** A product's underlying, the unit of its contract size, and the unit of its price. */
interface ContractUnits {
  readonly of: string;
  readonly unit: string;
  readonly quoted: string;
}

const goods: Readonly<Record<string, ContractUnits>> = {
  CL: { of: 'Crude oil', unit: 'barrel', quoted: 'USD/barrel' },
  NG: { of: 'Natural gas', unit: 'MMBtu', quoted: 'USD/MMBtu' },
  GC: { of: 'Gold', unit: 'troy ounce', quoted: 'USD/troy ounce' },
  SI: { of: 'Silver', unit: 'troy ounce', quoted: 'USD/troy ounce' },
  HG: { of: 'Copper', unit: 'pound', quoted: 'USD/pound' },
  ZN: { of: 'Treasury notes', unit: 'USD per point', quoted: 'points of par' },
  ZB: { of: 'Treasury bonds', unit: 'USD per point', quoted: 'points of par' },
};

/** Index futures are money per point. */
function contractUnits({ root, name, currency }: Product): ContractUnits {
  return goods[root] ?? { of: name.replace(/ (Futures|mini)$/, ''), unit: `${currency} per index point`, quoted: 'index points' };
}

/** Where exchanges publish their contract specifications. */
const exchangePages: Readonly<Record<number, { readonly name: string; readonly page: string }>> = {
  [Exchange.hkex]: { name: 'HKEX', page: 'https://www.hkex.com.hk/Products/Listed-Derivatives' },
  [Exchange.cme]: { name: 'CME', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.cbot]: { name: 'CBOT', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.comex]: { name: 'COMEX', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.nymex]: { name: 'NYMEX', page: 'https://www.cmegroup.com/markets.html' },
  [Exchange.singapore]: { name: 'SGX', page: 'https://www.sgx.com/derivatives/products' },
  [Exchange.osaka]: { name: 'OSE', page: 'https://www.jpx.co.jp/english/derivatives/products' },
};

/** Qot_GetReference: the warrants on a security, or the dated contracts of the product that a future belongs to, or that are on an index. */
export const getReference: AnswerTo<typeof declared.getReference> = (facts, { security, referenceType }) => {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  return answer(facts, listing.instrument, referenceType);
};

function answer(facts: Facts<'world' | 'listings'>, instrument: Instrument, type: ReferenceType) {
  const found = type === ReferenceType.ReferenceType_Future ? futuresOf(facts, instrument) : facts.world.warrants(instrument);
  const staticInfoList = found.map((one) => staticInfo(facts, facts.listings.of(one)));
  return { staticInfoList };
}

function futuresOf({ world }: Facts<'world'>, instrument: Instrument): readonly Instrument[] {
  const { market } = instrument;
  return world.listed({ market, kind: 'future' }).filter((one) => {
    if (one.kind !== 'future' || one.future.month === undefined) return false;
    return instrument.kind === 'future'
      ? one.future.product === instrument.future.product
      : one.future.product.underlying === instrument.symbol;
  });
}
