import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import type { Currency, QuoteMarket } from '@svc-gateway/contract/markets';
import type { CalendarName } from './calendar.js';
import type { FutureProduct } from './data/futures.js';
import type { Industry } from './data/industries.js';
import type { OptionClass } from './data/options.js';
import { instrumentId } from './hash.js';
import type { Plate } from './plates.js';

/** One tradable or quotable thing of the simulated world. Static: nothing here changes while the daemon runs. What differs by kind is in `kinds.ts`. */
export type Instrument = Plain | PlateIndex | Bond | Future | Option | Warrant;

export type SecurityKind = Instrument['kind'];

interface Common {
  /** "HK.00700": canonical market and code. */
  readonly symbol: string;
  readonly market: QuoteMarket;
  readonly code: string;
  /** Stable number of the instrument, the same in every run (protocol: SecurityStaticBasic.id, stock_id). */
  readonly id: bigint;
  readonly name: string;
  /** Qot_Common.ExchType. */
  readonly exchange: number;
  readonly currency: Currency;
  /** Units (shares, contracts) that orders are a multiple of. */
  readonly lotSize: number;
  /** Money per point of one unit: of contracts their multiplier, else 1. */
  readonly multiplier: Decimal;
  readonly tickTable: TickTable;
  /** First day of trading, "2004-06-16", in the market's zone. */
  readonly listDate: string;
  /** Last day of trading, "2026-12-30": of contracts, and of what has been delisted; absent where none is set. A trading day. */
  readonly lastTradingDay?: string;
  /** A realistic price around which the generator starts. A multiple of its tick. */
  readonly referencePrice: Decimal;
  /** Issued shares or units; 0 for what has none. */
  readonly sharesIssued: bigint;
  /** Typical shares (contracts) traded a day: scales the generated volume. Of contracts, while they are the front month. */
  readonly dailyVolume: number;
  /** Annualised volatility as a fraction, e.g. 0.28. */
  readonly volatility: number;
  /** Sessions and holidays that it trades by. */
  readonly calendar: CalendarName;
  /** Industry of a real company; absent for made-up ones, and for what is no company's. */
  readonly industry?: Industry;
}

/** Kinds without terms of their own. A trust's units are those of one that holds property (REIT) or a business: it keeps accounts as a company does. */
interface Plain extends Common {
  readonly kind: 'equity' | 'trust' | 'etf' | 'index' | 'forex';
}

/** A plate as something quoted: the index of its members. Its lot, volume and reference price are those of an index. */
export interface PlateIndex extends Common {
  readonly kind: 'plate';
  readonly plate: Plate;
}

/** Quoted in percent of the nominal, without accrued interest; one unit is a nominal of 100. */
export interface Bond extends Common {
  readonly kind: 'bond';
  readonly bond: BondTerms;
}

export interface Future extends Common {
  readonly kind: 'future';
  readonly future: FutureTerms;
}

export interface Option extends Common {
  readonly kind: 'option';
  readonly option: OptionTerms;
}

export interface Warrant extends Common {
  readonly kind: 'warrant';
  readonly warrant: WarrantTerms;
}

export interface FutureTerms {
  readonly product: FutureProduct;
  /** The contract's month, "2026-12"; absent for the continuous contract ("HSImain"). */
  readonly month?: string;
}

export interface BondTerms {
  readonly issuer: string;
  /** Listing of the issuer, "US.AAPL". */
  readonly owner?: string;
  readonly sector: 'government' | 'corporate';
  /** A year's interest in percent of the nominal, paid in halves on the maturity's day of the month. */
  readonly coupon: Decimal;
  /** Interest runs from this day, "2026-08-15", to the one on which the nominal is paid back; neither need be a business day. */
  readonly issued: string;
  readonly maturity: string;
  /** Over the government's yield, in basis points. */
  readonly spread: number;
  /** Money, in the bond's currency. */
  readonly nominalIssued: bigint;
}

export interface OptionTerms {
  readonly class: OptionClass;
  /** Cycle of the expiry within its class. */
  readonly cycle: 'month' | 'week' | 'day';
  /** Symbol of the underlying. */
  readonly underlying: string;
  /** Last day of trading and of exercise. */
  readonly expiry: string;
  readonly strike: Decimal;
  readonly right: 'call' | 'put';
  readonly style: 'american' | 'european';
}

export interface WarrantTerms {
  /** Symbol of the underlying. */
  readonly underlying: string;
  /** `call` and `put` are derivative warrants, `bull` and `bear` callable contracts; `inline` pays between two prices. */
  readonly type: 'call' | 'put' | 'bull' | 'bear' | 'inline';
  readonly issuer: string;
  /** Day of the final valuation: a few days after the last one of trading. */
  readonly maturity: string;
  /** Units that make one of the underlying. */
  readonly conversionRatio: number;
  /** Strike; the lower price of an inline warrant. */
  readonly strike: Decimal;
  /** Upper price of an inline warrant. */
  readonly upperStrike?: Decimal;
  /** Call price of bull and bear contracts: the underlying's price at which they are called. */
  readonly callPrice?: Decimal;
}

/** Price steps: `tick` holds for prices from the previous `below` up to, not including, this `below`; the last has none. */
export interface TickTable {
  /** "HK-equity": also the spread code that protocol answers name. */
  readonly name: string;
  readonly steps: readonly { readonly below?: Decimal; readonly tick: Decimal }[];
}

/** Terms that are the same for most kinds: lots and points of one unit, nothing issued, and a number made of the symbol. */
type Usual = 'lotSize' | 'multiplier' | 'sharesIssued' | 'id';
type Terms<I extends Instrument> = Omit<I, 'symbol' | Usual> & Partial<Pick<I, Usual>>;

/** An instrument of its terms. */
export function instrumentOf<I extends Instrument = Instrument>(terms: Terms<I>): I {
  const symbol = `${terms.market}.${terms.code}`;
  return { lotSize: 1, multiplier: DECIMAL_ONE, sharesIssued: 0n, id: instrumentId(symbol), ...terms, symbol } as unknown as I;
}

/** Whether what an instrument is worth follows from its underlying's price and time alone. */
export function isDerived(instrument: Instrument): instrument is Option | Warrant {
  return instrument.kind === 'option' || instrument.kind === 'warrant';
}

/** Whether market makers quote it by the price of what it follows, whatever was traded last. */
export function hasMakers(instrument: Instrument): instrument is Option | Warrant | Future {
  return instrument.kind === 'future' || isDerived(instrument);
}
