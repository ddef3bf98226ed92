import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import { DAY_MS, localDayNumber } from '@svc-gateway/contract/time';
import { type Company, type NewsFact, type NewsItem, newsId, timeOfNews, wordedChinese } from '../companies/index.js';
import type { Economy, MacroEvent } from '../macro/index.js';
import type { Instrument } from '../world/index.js';
import { isIssuedByCompany } from '../world/kinds.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';

/** Topic of an item: the option_id of the flash filter. */
export const newsTopics = {
  results: 1,
  dividends: 2,
  shares: 3,
  people: 4,
  ratings: 5,
  moves: 6,
  halts: 7,
  listings: 8,
  economy: 9,
  letters: 10,
} as const;
export type NewsTopic = keyof typeof newsTopics;

/** An item of news as it is told: every figure of it is known at `time`. */
export interface Story {
  /** Names it for ever: "HK.00700-<id>" of a company's, "MACRO-<id>" of a publication. */
  readonly newsId: string;
  /** By which items are in order: later ones have larger ones. */
  readonly seq: bigint;
  /** Epoch ms, a whole minute. */
  readonly time: number;
  readonly topic: NewsTopic;
  readonly market: QuoteMarket;
  /** Publisher. */
  readonly source: string;
  /** The listings of the company that it is about, home first; none where it is about an economy. */
  readonly about: readonly Instrument[];
  readonly title: string;
  readonly text: string;
  /** The same, in simplified Chinese. */
  readonly translated: () => { readonly title: string; readonly text: string };
  readonly fact: NewsFact | undefined;
}

const topicOf: Readonly<Record<NewsFact['kind'], NewsTopic>> = {
  results: 'results',
  restatement: 'results',
  dividend: 'dividends',
  shares: 'shares',
  executive: 'people',
  rating: 'ratings',
  move: 'moves',
  halt: 'halts',
  resumption: 'halts',
  listing: 'listings',
  delisting: 'listings',
  letter: 'letters',
};

/** Notice type of an item published by an exchange or a company. */
export const noticeTypes: Partial<Readonly<Record<NewsFact['kind'], number>>> = {
  results: 1,
  restatement: 1,
  dividend: 2,
  shares: 3,
  executive: 4,
  halt: 5,
  resumption: 5,
  listing: 5,
  delisting: 5,
};

const EXCHANGE = 'Simulated Exchange Notices';
const PRESS = 'Simulated Newswire';
const LETTERS = 'Letters to the Editors (unverified)';

/** An item of a company's news as it is told. */
function storyOf({ issuer }: Company, { id, time, instrument, headline, text, fact }: NewsItem): Story {
  return {
    newsId: `${instrument.symbol}-${id}`,
    seq: id,
    time,
    topic: topicOf[fact.kind],
    market: instrument.market,
    source: fact.kind === 'letter' ? LETTERS : noticeTypes[fact.kind] === undefined ? PRESS : EXCHANGE,
    about: issuer.classes.map((one) => one.instrument),
    title: headline,
    text,
    translated: () => wordedChinese(instrument, fact),
    fact,
  };
}

/** Markets that stand for economies; those that the world has no stock market of are told with the United States. */
const marketOfEconomy: Readonly<Record<Economy, QuoteMarket>> = {
  US: 'US',
  HK: 'HK',
  CN: 'SH',
  JP: 'JP',
  SG: 'SG',
  MY: 'MY',
  AU: 'US',
  CA: 'US',
};
const economyNames: Readonly<Record<Economy, readonly [string, string]>> = {
  US: ['United States', '美国'],
  HK: ['Hong Kong', '香港'],
  CN: ['China', '中国'],
  JP: ['Japan', '日本'],
  SG: ['Singapore', '新加坡'],
  MY: ['Malaysia', '马来西亚'],
  AU: ['Australia', '澳大利亚'],
  CA: ['Canada', '加拿大'],
};

/** A publication of an office as it is told when it is out. */
function storyOfFigure({ economy, title, time, previous, consensus }: MacroEvent, actual: string): Story {
  const id = newsId(time, `${economy} ${title}`);
  const [english, chinese] = economyNames[economy];
  const headline = `${english}: ${title} ${actual}`;
  const against = [
    ...(consensus === undefined ? [] : [`Forecasters expected ${consensus}.`]),
    ...(previous === undefined ? [] : [`The release before said ${previous}.`]),
  ];
  return {
    newsId: `MACRO-${id}`,
    seq: id,
    time,
    topic: 'economy',
    market: marketOfEconomy[economy],
    source: PRESS,
    about: [],
    title: headline,
    text: [`${headline}.`, ...against].join(' '),
    translated: () => ({
      title: `${chinese}：${title} ${actual}`,
      text: `${chinese}：${title}公布值${actual}${consensus === undefined ? '' : `，预期${consensus}`}${previous === undefined ? '' : `，前值${previous}`}。`,
    }),
    fact: undefined,
  };
}

const allEconomies: ReadonlySet<Economy> = new Set(Object.keys(economyNames) as Economy[]);

/** Economic figures released in [from, to] (epoch ms), so far. */
function figuresBetween({ macro }: Facts<'macro'>, from: number, to: number): readonly Story[] {
  return macro.schedule(from, to, allEconomies).flatMap((scheduled) => {
    // As it was told then: what came afterwards changes no item.
    const event = macro.event(scheduled, scheduled.time);
    return event.actual === undefined ? [] : [storyOfFigure(event, event.actual)];
  });
}

/** Stories about a company in [from, to] (epoch ms), oldest first. */
export function storiesBetween(company: Company, from: number, to: number): readonly Story[] {
  const zone = quoteMarket(company.issuer.home.market).timeZone;
  const items = company.news(localDayNumber(from, zone), localDayNumber(to, zone));
  return items.filter(({ time }) => time >= from && time <= to).map((item) => storyOf(company, item));
}

const IDS_END = 2n ** 63n;

/** The item that an id names, where it is out by now. */
export function storyNamed(facts: Facts<'clock' | 'world' | 'companies' | 'macro'>, named: string): Story | undefined {
  const match = /^(.+)-(\d{1,19})$/.exec(named);
  const [of, id] = [match?.[1], BigInt(match?.[2] ?? 0)];
  const time = timeOfNews(id);
  if (of === undefined || id >= IDS_END || time > facts.clock.now()) return undefined;
  if (of === 'MACRO') return figuresBetween(facts, time, time).find(({ seq }) => seq === id);
  const instrument = facts.world.instrument(of);
  if (instrument === undefined || !isIssuedByCompany(instrument)) return undefined;
  return storiesBetween(facts.companies.company(instrument), time, time).find(({ newsId: own }) => own === named);
}

type NewsFacts = Facts<'clock' | 'world' | 'companies' | 'macro' | 'caches'>;

/** Tells the stories of a span of time (epoch ms, both ends included), oldest first. */
export type Teller = (from: number, to: number) => readonly Story[];

/** The markets whose companies a newsroom follows, and how many of each: those worth most. */
const MARKETS: readonly QuoteMarket[] = ['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'];
const FOLLOWED = 15;
const followedCompanies: CacheKind<readonly Instrument[]> = { max: 1 };

/** Home listings of the companies that the wire reports on: the largest of each market at their reference prices, whoever else is made up. */
function followed({ world, companies }: Facts<'world' | 'companies'>): readonly Instrument[] {
  const found: Instrument[] = [];
  for (const market of MARKETS) {
    const issued = world.instruments({ market }).filter(isIssuedByCompany);
    const worth = new Map(issued.map((one) => [one, one.referencePrice * one.sharesIssued]));
    const worthOf = (one: Instrument) => worth.get(one) ?? 0n;
    issued.sort((a, b) => (worthOf(b) > worthOf(a) ? 1 : worthOf(b) < worthOf(a) ? -1 : 0));
    const largest = found.length + FOLLOWED;
    for (const one of issued) {
      if (found.length === largest) break;
      if (companies.issuer(one).home === one) found.push(one);
    }
  }
  return found;
}

/** Days of the wire, as everybody asks for the same. */
const days: CacheKind<readonly Story[]> = { max: 200 };

/** The wire's stories: of the companies that it follows and of economies. What a day brought is the same whenever it is asked for. */
export function wire(facts: NewsFacts): Teller {
  return function tell(from, to) {
    const found: Story[] = [];
    for (let day = Math.floor(from / DAY_MS); day <= Math.floor(to / DAY_MS); day++) {
      const stories = facts.caches.get(days, String(day), '', () => dayOf(facts, day));
      found.push(...stories.filter(({ time }) => time >= from && time <= to));
    }
    return found;
  };
}

function dayOf(facts: NewsFacts, day: number): readonly Story[] {
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS - 1];
  const found = [...figuresBetween(facts, from, to)];
  for (const home of facts.caches.get(followedCompanies, '', '', () => followed(facts))) {
    found.push(...storiesBetween(facts.companies.company(home), from, to));
  }
  return found.sort(bySeq);
}

/** The stories of some securities' companies; what no company issued has none. */
export function tellerOf({ companies }: Facts<'companies'>, instruments: readonly Instrument[]): Teller {
  const issued = new Set(instruments.filter(isIssuedByCompany).map((one) => companies.company(one)));
  return function tell(from, to) {
    const found: Story[] = [];
    for (const company of issued) {
      found.push(...storiesBetween(company, from, to));
    }
    return found.sort(bySeq);
  };
}

function bySeq(a: Story, b: Story): number {
  return a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0;
}
