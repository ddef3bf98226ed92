import { DECIMAL_ONE, type Decimal, divide } from '@svc-gateway/contract/decimal';
import type { Currency, QuoteMarket } from '@svc-gateway/contract/markets';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { atOnce } from '../pace.js';
import { LruCache } from '../rng/lru-cache.js';
import type { Anchor } from '../rng/price-chain.js';
import { keyOf } from '../rng/random.js';
import type { World } from '../world/index.js';
import type { Instrument } from '../world/instrument.js';
import { isIssuedByCompany, kinds } from '../world/kinds.js';
import type { Plate } from '../world/plates.js';
import { Company } from './company.js';
import type { CorporateAction, CorporateActions } from './corporate-actions.js';
import { type ShareFigures, shareFigures, YEAR_DAYS } from './figures.js';
import { Fund } from './fund.js';
import { type Issuer, issuerOf } from './issuers.js';
import { converted, ListingTimeline } from './listing-timeline.js';
import type { MarketPrices } from './market-prices.js';
import { Peers } from './peers.js';
import { PlateComposition, type PlateMember } from './plate-composition.js';
import { industryOf, PlateMembership } from './plate-membership.js';
import { companyKey, companyProfile } from './profile.js';

/** Loaded price history of a listing. Simulated actions keep off its days: what happened then is in its prices. */
export interface LoadedPrices {
  /** First and last day, counted from 1970-01-01. */
  readonly firstDay: number;
  readonly lastDay: number;
  /** Close of the last day. */
  readonly anchor: Anchor;
}

const NO_MEMBERS = new PlateComposition([]);
const CACHE_SIZE = 5_000;
const CACHED_FIGURES = 20_000;

/** Every issuer of the world on its timeline: a pure function of seed, company and day. What nobody asks for costs nothing. */
export class Companies implements CorporateActions {
  readonly #companies = new LruCache<string, Company>(CACHE_SIZE);
  readonly #funds = new LruCache<Instrument, Fund>(CACHE_SIZE);
  readonly #timelines = new LruCache<Instrument, ListingTimeline>(CACHE_SIZE);
  readonly #figures = new LruCache<string, ShareFigures>(CACHED_FIGURES);
  readonly #plates = new Map<QuoteMarket, ReadonlyMap<string, PlateComposition>>();
  readonly #peers: Peers;

  /**
   * @param loaded price history of a symbol, where there is one
   * @param prices market prices; without them FX rates stay fixed and no price move is news
   */
  constructor(
    private readonly world: World,
    private readonly seed: string | number,
    private readonly loaded: (symbol: string) => LoadedPrices | undefined = () => undefined,
    private readonly prices?: MarketPrices,
  ) {
    this.#peers = new Peers(
      seed,
      (market) => this.#equities(market),
      (equity) => this.issuer(equity),
    );
  }

  /** Equities issued in a market, in a stable order: the pool for shared executives and plates. */
  #equities(market: QuoteMarket): readonly Instrument[] {
    return [...this.world.instruments({ market }).filter(isIssuedByCompany), ...this.world.debuts(market)];
  }

  /** See {@link CorporateActions}. */
  corporateActions(symbol: string, from: string, to: string): readonly CorporateAction[] {
    const instrument = this.world.instrument(symbol);
    if (instrument === undefined) return [];
    return this.timeline(instrument)?.between(requireDay(from), requireDay(to)) ?? [];
  }

  /** The timeline of a share or of a fund's unit; undefined for what nobody issued. */
  timeline(instrument: Instrument): ListingTimeline | undefined {
    const { issuedBy } = kinds[instrument.kind];
    if (issuedBy === 'other') return undefined;
    return this.#timelines.get(instrument, () => (issuedBy === 'fund' ? this.#ofFund(instrument) : this.#ofEquity(instrument)));
  }

  /** The index of a plate and its members; of a plate that nobody is ever in, an index without. */
  plate({ symbol, market }: Plate): PlateComposition {
    return atOnce(this.platesOf(market)).get(symbol) ?? NO_MEMBERS;
  }

  /** Plates of a market by symbol, ready to pause: the first look takes tens of milliseconds, and half a second with 20,000 made-up equities. */
  *platesOf(market: QuoteMarket): Generator<void, ReadonlyMap<string, PlateComposition>> {
    const made = this.#plates.get(market) ?? (yield* this.#makePlates(market));
    // Somebody else may have asked meanwhile.
    const kept = this.#plates.get(market) ?? made;
    this.#plates.set(market, kept);
    return kept;
  }

  /** Issuer of an equity. */
  company(equity: Instrument): Company {
    const issuer = this.issuer(equity);
    return this.#companies.get(issuer.home.symbol, () => this.#makeCompany(issuer));
  }

  issuer(equity: Instrument): Issuer {
    return issuerOf(equity, (symbol) => this.world.instrument(symbol));
  }

  fund(etf: Instrument): Fund {
    return this.#funds.get(etf, () => {
      const prices = this.loaded(etf.symbol);
      const isQuiet = (day: number) => prices !== undefined && day >= prices.firstDay && day <= prices.lastDay;
      return new Fund(this.seed, etf, keyOf(`${this.seed}|${etf.symbol}`), prices?.anchor, isQuiet);
    });
  }

  /** Figures of an equity on a trading day ("2026-11-20"), for one share and in its currency. */
  figures(equity: Instrument, day: string): ShareFigures {
    return this.#figures.get(`${equity.symbol} ${day}`, () => {
      const company = this.company(equity);
      const share = company.issuer.classes.find(({ instrument }) => instrument === equity);
      const timeline = this.timeline(equity);
      if (share === undefined || timeline === undefined) throw new Error(`${equity.symbol} is no share of ${company.issuer.home.symbol}`);
      const convert = this.#conversion(company.issuer.home.currency, equity.currency, day);
      return shareFigures(company, share, timeline, requireDay(day), convert);
    });
  }

  /** An amount in whole units of the currency of an equity's accounts, in its listing's currency at the rate of a day. */
  inCurrencyOf(equity: Instrument, amount: bigint, day: string): Decimal {
    return this.#conversion(this.issuer(equity).home.currency, equity.currency, day)(amount * DECIMAL_ONE);
  }

  /** An amount in another currency, at the rate that is known when a day begins ("2026-11-20"). */
  inCurrency(amount: Decimal, from: Currency, to: Currency, day: string): Decimal {
    return this.#conversion(from, to, day)(amount);
  }

  /** Issue price of an equity, from which its first trading day's change is measured. */
  issuePrice(equity: Instrument): Decimal {
    return this.prices?.closeBefore(equity, equity.listDate) ?? equity.referencePrice;
  }

  /** Cash that went ex in the year up to a trading day, for one share of that day. */
  dividendTtm(instrument: Instrument, day: string): Decimal {
    const number = requireDay(day);
    return this.timeline(instrument)?.cashBetween(number - YEAR_DAYS, number) ?? 0n;
  }

  /** Shares of an equity that are traded, or units of a fund, on a trading day; 0 for what has none. */
  outstandingShares(instrument: Instrument, day: string): bigint {
    return isIssuedByCompany(instrument) ? this.figures(instrument, day).outstandingShares : instrument.sharesIssued;
  }

  /** Builds the plates of a market. Membership follows from names alone; companies are made when an index is first asked for. */
  *#makePlates(market: QuoteMarket): Generator<void, ReadonlyMap<string, PlateComposition>> {
    const members = new Map<string, PlateMember[]>();
    const known = new Set<string>();
    for (const equity of this.#equities(market)) {
      const issuer = this.issuer(equity);
      if (known.has(issuer.home.symbol)) continue;
      known.add(issuer.home.symbol);
      const profile = { key: companyKey(this.seed, issuer.home) };
      const company = () => this.company(equity);
      for (const { plate, instrument, from, until } of new PlateMembership(issuer, profile, industryOf(issuer, profile)).all()) {
        if (plate.market !== market) continue;
        const ofPlate = members.get(plate.symbol) ?? [];
        members.set(plate.symbol, ofPlate);
        ofPlate.push({ instrument, from, until, prices: () => company().prices });
      }
      yield;
    }
    return new Map([...members].map(([symbol, of]) => [symbol, new PlateComposition(of)]));
  }

  #makeCompany(issuer: Issuer): Company {
    const { seed } = this;
    const { home, classes } = issuer;
    const spans = classes.map(({ instrument }) => this.loaded(instrument.symbol)).filter((one) => one !== undefined);
    const isQuiet = (day: number) => spans.some(({ firstDay, lastDay }) => day >= firstDay && day <= lastDay);
    const known = (instrument: Instrument) => this.#known(issuer, instrument);
    const surroundings = {
      priceKey: keyOf(`${seed}|${home.symbol}`),
      known,
      isQuiet,
      seat: () => this.#peers.seatOf(home),
      move: (day: string) => this.prices?.dayMove(home, day),
    };
    const of = (price: number) => new Company(issuer, companyProfile(seed, issuer, price), surroundings);
    const reference = Number(home.referencePrice);
    const company = of(reference / 1e9);
    const price = known(home);
    // A loaded price says what the company is worth: its books follow.
    return price === undefined ? company : of(price.price / company.prices.levelOn(price.number) / 1e9);
  }

  /** A loaded price of the listing, or else of another of its issuer, at the ratio of their reference prices. */
  #known({ classes }: Issuer, instrument: Instrument): Anchor | undefined {
    const own = this.loaded(instrument.symbol);
    if (own !== undefined) return own.anchor;
    for (const other of classes) {
      const known = this.loaded(other.instrument.symbol)?.anchor;
      if (known === undefined) continue;
      const ratio = Number(instrument.referencePrice) / Number(other.instrument.referencePrice);
      return { ...known, price: known.price * ratio };
    }
    return undefined;
  }

  #ofEquity(equity: Instrument): ListingTimeline {
    const company = this.company(equity);
    const { issuer } = company;
    const ordinary = BigInt(issuer.classes.find(({ instrument }) => instrument === equity)?.ordinary ?? 1);
    return new ListingTimeline(equity, {
      dividendsIn: (year) => company.dividendsIn(year),
      events: company.events,
      subscriptionPrice: (event) => company.subscriptionPrice(equity, event),
      priceAt: (day) => company.prices.at(equity, day),
      shareFactor: (day) => {
        const { numerator, denominator } = company.shareFactor(day);
        return Number(numerator) / Number(denominator);
      },
      cash: (perShare, announced) => this.#conversion(issuer.home.currency, equity.currency, dayOfNumber(announced))(perShare * ordinary),
      accruesFrom: this.#known(issuer, equity)?.number ?? -Infinity,
    });
  }

  #ofFund(etf: Instrument): ListingTimeline {
    const fund = this.fund(etf);
    return new ListingTimeline(etf, {
      dividendsIn: (year) => fund.distributionsIn(year),
      events: [],
      subscriptionPrice: () => 0n,
      priceAt: (day) => fund.priceAt(day),
      shareFactor: () => 1,
      cash: (perShare) => perShare,
      accruesFrom: this.loaded(etf.symbol)?.lastDay ?? -Infinity,
    });
  }

  /** From one currency to another, at the rates that are known when a day begins. */
  #conversion(from: Currency, to: Currency, day: string): (amount: Decimal) => Decimal {
    if (from === to) return (amount) => amount;
    const [ours, theirs] = [this.#perDollar(from, day), this.#perDollar(to, day)];
    return (amount) => converted(amount, ours, theirs);
  }

  /** Units of a currency for a dollar. */
  #perDollar(currency: Currency, day: string): Decimal {
    if (currency === 'USD') return DECIMAL_ONE;
    const rate = (pair: Instrument) => this.prices?.closeBefore(pair, day) ?? pair.referencePrice;
    const pair = this.world.instrument(`FX.USD${currency}`);
    if (pair !== undefined) return rate(pair);
    const inverse = this.world.instrument(`FX.${currency}USD`);
    if (inverse === undefined) throw new Error(`the world quotes no ${currency}`);
    return divide(DECIMAL_ONE, rate(inverse));
  }
}
