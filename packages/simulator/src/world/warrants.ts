import type { Decimal } from '@svc-gateway/contract/decimal';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { businessDayFrom, businessDaysOf, daysBefore, daysLater } from './business-days.js';
import { catalogue } from './catalogue.js';
import { exact } from './exact.js';
import { Exchange } from './exchange.js';
import { drawer, instrumentId } from './hash.js';
import { type Instrument, instrumentOf, type Warrant, type WarrantTerms } from './instrument.js';
import type { Underlyings } from './options.js';
import { tickTables } from './tick-tables.js';
import { roundToTick } from './ticks.js';

/** HKEX's stock code allocation plan: which codes are given to structured products. */
const ranges = [
  { from: 10_000, to: 29_999, types: ['call', 'call', 'put'], termDays: [180, 730], lastDaysBefore: 4 },
  { from: 47_000, to: 48_999, types: ['inline'], termDays: [180, 365], lastDaysBefore: 4 },
  { from: 60_000, to: 69_999, types: ['bull', 'bear'], termDays: [90, 540], lastDaysBefore: 1 },
] as const satisfies readonly {
  from: number;
  to: number;
  types: readonly WarrantTerms['type'][];
  termDays: readonly [number, number];
  lastDaysBefore: number;
}[];

type Range = (typeof ranges)[number];

const issuers = ['SG', 'UB', 'JP', 'HS', 'BP', 'MB', 'CT', 'BI'];
/** One code in four is in use, and is given out again every four years: longer than any contract lives. */
const USED_SHARE = 0.25;
const REUSE_DAYS = 1461;
/** Days that a maturity may be put off to the next business day. */
const LONGEST_CLOSURE = 12;
/** Code ranges of this width began in 2008. */
const FIRST_LISTING = '2008-04-07';
const CALENDAR = 'HK';
const LOT = 10_000;
const ELIGIBLE_STOCKS = 40;
/** Half of the warrants are on an index, as it is in the market. */
const INDEX_SHARE = 0.5;

/** A code that is given out, again and again. */
interface UsedCode {
  readonly code: string;
  readonly range: Range;
  readonly phase: number;
}

/** The contracts of a day that were issued, and by underlying ('': all) those of them that have not been called. */
interface Listed {
  readonly day: string;
  readonly all: readonly Warrant[];
  readonly standing: Map<string, readonly Warrant[]>;
}

/** The structured products of Hong Kong, whose terms are a pure function of seed, code and day. */
export class Warrants {
  readonly #seed: string | number;
  readonly #underlyings: Underlyings;
  #used: readonly UsedCode[] | undefined;
  /** Last called contract of a code, by symbol. */
  readonly #called = new Map<string, Warrant>();
  /** Last issued contract of a code. */
  readonly #issued = new Map<string, Warrant>();
  #listed: Listed = { day: '', all: [], standing: new Map() };
  #candidates: { readonly indices: readonly Instrument[]; readonly stocks: readonly Instrument[] } | undefined;

  constructor(seed: string | number, underlyings: Underlyings) {
    this.#seed = seed;
    this.#underlyings = underlyings;
  }

  /** Possible underlyings of warrants: indices, and the most traded stocks. */
  get #eligible(): { readonly indices: readonly Instrument[]; readonly stocks: readonly Instrument[] } {
    const turnover = ({ referencePrice, dailyVolume }: Instrument) => Number(referencePrice) * dailyVolume;
    this.#candidates ??= {
      indices: catalogue('HK').filter(({ kind }) => kind === 'index'),
      stocks: catalogue('HK')
        .filter(({ kind }) => kind === 'equity')
        .sort((a, b) => turnover(b) - turnover(a))
        .slice(0, ELIGIBLE_STOCKS),
    };
    return this.#candidates;
  }

  /** Contract of a five-digit code on a day: the one that has it then, or had it last. Undefined before its first one. */
  understand(code: string, day: string): Warrant | undefined {
    const number = /^\d{5}$/.test(code) ? Number(code) : Number.NaN;
    const range = ranges.find(({ from, to }) => number >= from && number <= to);
    const phase = range === undefined ? undefined : this.#phaseOf(code);
    const listDate = phase === undefined ? undefined : listingUpTo(phase, day);
    return range === undefined || listDate === undefined ? undefined : this.asOf(this.#issue(code, range, listDate), day);
  }

  /** A contract as a day knows it: one that was called before ends on the day on which it was. */
  asOf(warrant: Warrant, day: string): Warrant {
    if (warrant.warrant.callPrice === undefined) return warrant;
    const called = this.#underlyings.calledBefore(warrant, day);
    if (called === undefined || called === warrant.lastTradingDay) return warrant;
    const known = this.#called.get(warrant.symbol);
    if (known?.listDate === warrant.listDate) return known;
    const ended = { ...warrant, lastTradingDay: called };
    this.#called.set(warrant.symbol, ended);
    return ended;
  }

  /** The warrants that are listed on a day, by code; those of an underlying alone when it is named. The first look at a day makes them all. */
  on(day: string, underlying?: Instrument): readonly Warrant[] {
    if (this.#listed.day !== day) this.#listed = { day, all: this.#listedOn(day), standing: new Map() };
    const { all, standing } = this.#listed;
    const name = underlying?.symbol ?? '';
    const found =
      standing.get(name) ??
      all.filter((one) => (underlying === undefined || one.warrant.underlying === underlying.symbol) && this.asOf(one, day) === one);
    if (found.length > 0) standing.set(name, found);
    return found;
  }

  #listedOn(day: string): readonly Warrant[] {
    const found: Warrant[] = [];
    const today = requireDay(day);
    this.#used ??= this.#usedCodes();
    for (const { code, range, phase } of this.#used) {
      // How long ago it was given out at the most: nearly all that are over need no calendar.
      if ((((today - phase) % REUSE_DAYS) + REUSE_DAYS) % REUSE_DAYS > range.termDays[1] + 2 * LONGEST_CLOSURE) continue;
      const listDate = listingUpTo(phase, day);
      if (listDate === undefined) continue;
      const warrant = this.#issue(code, range, listDate);
      if (warrant.lastTradingDay === undefined || warrant.lastTradingDay >= day) found.push(warrant);
    }
    return found;
  }

  #usedCodes(): readonly UsedCode[] {
    const used: UsedCode[] = [];
    for (const range of ranges) {
      for (let number = range.from; number <= range.to; number += 1) {
        const code = String(number);
        const phase = this.#phaseOf(code);
        if (phase !== undefined) used.push({ code, range, phase });
      }
    }
    return used;
  }

  /** Where in the {@link REUSE_DAYS} a code is given out; undefined when it never is. */
  #phaseOf(code: string): number | undefined {
    const draw = drawer(`${this.#seed}/HK.${code}`);
    return draw() >= USED_SHARE ? undefined : Math.floor(draw() * REUSE_DAYS);
  }

  #issue(code: string, range: Range, listDate: string): Warrant {
    const known = this.#issued.get(code);
    if (known?.listDate === listDate) return known;
    const warrant = this.#makeIssue(code, range, listDate);
    this.#issued.set(code, warrant);
    return warrant;
  }

  #makeIssue(code: string, range: Range, listDate: string): Warrant {
    const draw = drawer(`${this.#seed}/HK.${code} ${listDate}`);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;
    const type = pick<WarrantTerms['type']>(range.types);
    const issuer = pick(issuers);
    const [shortest, longest] = range.termDays;
    const calendar = businessDaysOf(CALENDAR);
    const maturity = daysLater(listDate, shortest + Math.floor(draw() * (longest - shortest)), calendar);
    const listed = (draw() < INDEX_SHARE ? this.#eligible.indices : this.#eligible.stocks).filter(
      (one) => one.listDate < listDate && (one.lastTradingDay === undefined || one.lastTradingDay > maturity),
    );
    const underlying = pick(listed);
    const price = this.#underlyings.closeBefore(underlying, listDate);
    const warrant: WarrantTerms = { underlying: underlying.symbol, type, issuer, maturity, ...terms(type, underlying, price, draw) };
    const letters = { call: 'C', put: 'P', bull: 'C', bear: 'P', inline: 'I' }[type];
    return instrumentOf<Warrant>({
      market: 'HK',
      code,
      id: instrumentId(`HK.${code} ${listDate}`),
      name: `${issuer}-${underlying.name.slice(0, 5)}@E${letters}${maturity.slice(2, 7).replace('-', '')}`,
      kind: 'warrant',
      exchange: Exchange.hkMainBoard,
      currency: 'HKD',
      lotSize: LOT,
      tickTable: tickTables.hkEquity,
      listDate,
      lastTradingDay: daysBefore(maturity, range.lastDaysBefore, calendar),
      // Issuers aim at this price when they list; an inline warrant pays one dollar.
      referencePrice: exact(type === 'inline' ? 0.5 : 0.25),
      sharesIssued: BigInt(40 + Math.floor(draw() * 16) * 10) * 1_000_000n,
      dailyVolume: 2_000_000,
      volatility: 1,
      calendar: CALENDAR,
      warrant,
    });
  }
}

/** The last day up to `day` on which a code of this phase was given out. */
function listingUpTo(phase: number, day: string): string | undefined {
  const round = Math.floor((requireDay(day) - phase) / REUSE_DAYS);
  for (const candidate of [round, round - 1]) {
    const listDate = businessDayFrom(dayOfNumber(candidate * REUSE_DAYS + phase), businessDaysOf(CALENDAR));
    if (listDate <= day) return listDate < FIRST_LISTING ? undefined : listDate;
  }
  return undefined;
}

function terms(
  type: WarrantTerms['type'],
  underlying: Instrument,
  price: Decimal,
  draw: () => number,
): Pick<WarrantTerms, 'conversionRatio' | 'strike' | 'upperStrike' | 'callPrice'> {
  const at = (fraction: number) => roundToTick(underlying.tickTable, (price * BigInt(Math.round(fraction * 1e6))) / 1_000_000n, 'nearest');
  const conversionRatio = underlying.kind === 'index' ? 10_000 : Number(price) / 1e9 < 20 ? 1 : Number(price) / 1e9 < 100 ? 10 : 100;
  const away = 0.02 + 0.13 * draw();
  switch (type) {
    case 'call':
      return { conversionRatio, strike: at(1 + away) };
    case 'put':
      return { conversionRatio, strike: at(1 - away) };
    case 'bull':
      return { conversionRatio, strike: at(1 - away - 0.02), callPrice: at(1 - away) };
    case 'bear':
      return { conversionRatio, strike: at(1 + away + 0.02), callPrice: at(1 + away) };
    case 'inline':
      return { conversionRatio: 1, strike: at(1 - away), upperStrike: at(1 + away) };
  }
}
