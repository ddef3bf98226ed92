import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { Snapshot } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { requireDay } from '@svc-gateway/contract/time';
import type { Fields } from '../view/messages.js';
import { kindData } from '../view/snapshot-kinds.js';
import { accruedInterest, settlementOf, yieldToMaturity } from '../world/bond-price.js';
import type { Bond } from '../world/instrument.js';
import type { Figure } from './column-snapshot.js';

const SPEED = 20;

/** A figure that the snapshot has for instruments of one kind: the same one, since it is read from there. */
function ofSnapshot(key: string, read: (snapshot: Fields<Snapshot>) => number | bigint | boolean | undefined): Figure {
  return {
    key,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, { listing, quote }) => {
      const value = read(kindData(facts, listing, quote));
      return value === undefined ? Number.NaN : Number(value);
    },
  };
}

export const fundFigures = {
  aum: ofSnapshot('aum', ({ trustExData }) => trustExData?.aum),
  netAssetValue: ofSnapshot('net asset value', ({ trustExData }) => trustExData?.netAssetValue),
  premium: ofSnapshot('premium', ({ trustExData }) => trustExData?.premium),
  dividendYield: ofSnapshot('fund yield', ({ trustExData }) => trustExData?.dividendYield),
  units: ofSnapshot('units', ({ trustExData }) => trustExData?.outstandingUnits),
  assetClass: ofSnapshot('asset class', ({ trustExData }) => trustExData?.assetClass),
} as const;

export const futureFigures = {
  openInterest: ofSnapshot('open interest', ({ futureExData }) => futureExData?.position),
  openInterestChange: ofSnapshot('open interest change', ({ futureExData }) => futureExData?.positionChange),
  lastSettlement: ofSnapshot('last settlement', ({ futureExData }) => futureExData?.lastSettlePrice),
  isMain: ofSnapshot('is main', ({ futureExData }) => futureExData?.isMainContract),
  /** Calendar days to the last trading day; NaN for the continuous contract. */
  daysToExpiry: {
    key: 'days to expiry',
    lasts: 'day',
    speed: 1_000,
    of: (_, { listing: { instrument }, quote }) =>
      instrument.lastTradingDay === undefined ? Number.NaN : requireDay(instrument.lastTradingDay) - requireDay(quote.tradingDay),
  },
  multiplier: {
    key: 'multiplier',
    lasts: 'day',
    speed: 1_000,
    of: (_, { listing }) => decimalToNumber(listing.instrument.multiplier),
  },
} as const satisfies Record<string, Figure>;

function ofBond(key: string, of: (bond: Bond, price: number, day: number) => number | undefined): Figure {
  return {
    key,
    lasts: 'moment',
    speed: 50,
    of: (_, { listing: { instrument }, quote }) =>
      instrument.kind === 'bond' ? (of(instrument, decimalToNumber(quote.last), requireDay(quote.tradingDay)) ?? Number.NaN) : Number.NaN,
  };
}

const DAYS_A_YEAR = 365.25;
const round = (value: number, places: number) => Math.round(value * 10 ** places) / 10 ** places;

export const bondFigures = {
  /** Percent of the nominal a year. */
  coupon: ofBond('coupon', ({ bond }) => decimalToNumber(bond.coupon)),
  /** Percent a year, compounded twice, at the last price. */
  yieldToMaturity: ofBond('yield to maturity', (bond, price, day) => {
    const yearly = yieldToMaturity(bond, price, settlementOf(day));
    return yearly === undefined ? undefined : round(yearly * 100, 6);
  }),
  yearsToMaturity: ofBond('years to maturity', ({ bond }, _, day) => round((requireDay(bond.maturity) - day) / DAYS_A_YEAR, 4)),
  /** Percent of the nominal. */
  accruedInterest: ofBond('accrued interest', (bond, _, day) => round(accruedInterest(bond, settlementOf(day)), 6)),
  nominalIssued: ofBond('nominal issued', ({ bond }) => Number(bond.nominalIssued)),
  isGovernment: ofBond('is government', ({ bond }) => Number(bond.sector === 'government')),
} as const;
