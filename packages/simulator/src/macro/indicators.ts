import type { Economy } from './economies.js';
import type { DayRule, Rule } from './schedule.js';
import type { Policy, Series } from './series.js';

/** A figure that an office publishes. */
export interface Indicator {
  readonly economy: Economy;
  readonly title: string;
  /** Name of the series it is drawn from: figures of one name, as a month's and a year's inflation, are the same index. */
  readonly name: string;
  /** 1 low, 2 medium, 3 high. */
  readonly importance: 1 | 2 | 3;
  readonly rule: Rule;
  readonly series: Series | Policy;
  /** Decimal places, and what follows the number: "%", "K". */
  readonly places: number;
  readonly unit: string;
}

type Row = Omit<Indicator, 'economy'>;

const monthly = (lag: number, on: DayRule, time: string): Rule => ({ every: 'month', lag, on, time });
const quarterly = (lag: number, on: DayRule, time: string): Rule => ({ every: 'quarter', lag, on, time });
const meeting = (months: readonly number[], on: DayRule, time: string): Rule => ({ every: 'meeting', months, on, time });
const level = (mean: number, deviation: number, persistence: number): Series => ({ kind: 'level', mean, deviation, persistence });
const growth = (mean: number, over: number, deviation: number, persistence: number): Series => {
  return { kind: 'growth', mean, deviation, persistence, over };
};
const rate = (mean: number, deviation: number, step: number): Series => ({ kind: 'rate', mean, deviation, persistence: 0.97, step });
/** Where the world has a short rate, the office's rate follows it. */
const following = (area: Policy['area'], step: number): Policy => ({ kind: 'policy', area, step });

const WEDNESDAY = 3;
const THURSDAY = 4;
const FRIDAY = 5;
const TUESDAY = 2;

/** Changes of an index over one period and over a year of them. */
function changes(name: string, importance: 1 | 2 | 3, rule: Rule, yearly: number, periods: 4 | 12): readonly Row[] {
  const [deviation, persistence] = periods === 12 ? [0.12, 0.6] : [0.35, 0.5];
  const [title, short] = periods === 12 ? [name, 'MoM'] : [`${name} Growth Rate`, 'QoQ'];
  const over = (count: number) => growth(yearly / periods, count, deviation, persistence);
  return [
    { ...single(`${title} (${short})`, importance, rule, over(1), 1, '%'), name },
    { ...single(`${title} (YoY)`, importance, rule, over(periods), 1, '%'), name },
  ];
}

/** Prices of consumers or producers. */
function prices(rule: Rule, yearly: number, importance: 1 | 2 | 3, name = 'CPI'): readonly Row[] {
  return changes(name, importance, rule, yearly, 12);
}

function grossProduct(rule: Rule, yearly: number): readonly Row[] {
  return changes('GDP', 3, rule, yearly, 4);
}

function single(title: string, importance: 1 | 2 | 3, rule: Rule, series: Series | Policy, places: number, unit: string): Row {
  return { title, name: title, importance, rule, series, places, unit };
}

const usJobs = monthly(1, { weekday: FRIDAY, nth: 1 }, '08:30:00');
const usPrices = monthly(1, { weekday: WEDNESDAY, nth: 2 }, '08:30:00');
const canadaJobs = monthly(1, { weekday: FRIDAY, nth: 1 }, '08:30:00');
const australiaJobs = monthly(1, { weekday: THURSDAY, nth: 3 }, '11:30:00');
const mainlandOutput = monthly(1, { date: 15 }, '10:00:00');
const fedMeeting = meeting([1, 3, 5, 6, 7, 9, 11, 12], { weekday: WEDNESDAY, nth: 3 }, '14:00:00');
const bojMeeting = meeting([1, 3, 4, 6, 7, 9, 10, 12], { weekday: FRIDAY, nth: 3 }, '12:00:00');
const malaysiaMeeting = meeting([1, 3, 5, 7, 9, 11], { weekday: THURSDAY, nth: 1 }, '15:00:00');
const rbaMeeting = meeting([2, 4, 5, 7, 8, 9, 11, 12], { weekday: TUESDAY, nth: 1 }, '14:30:00');
const bocMeeting = meeting([1, 3, 4, 6, 7, 9, 10, 12], { weekday: WEDNESDAY, nth: 2 }, '09:45:00');

/** Days and times are each office's habit; levels are what is usual in the economy, and every value is invented. */
const rows: Readonly<Record<Economy, readonly Row[]>> = {
  US: [
    single('Nonfarm Payrolls', 3, usJobs, level(130, 70, 0.4), 0, 'K'),
    single('Unemployment Rate', 3, usJobs, level(4.2, 0.35, 0.95), 1, '%'),
    single('Average Hourly Earnings (MoM)', 2, usJobs, level(0.3, 0.12, 0.2), 1, '%'),
    ...prices(usPrices, 2.4, 3),
    ...prices(usPrices, 2.6, 3, 'Core CPI'),
    ...prices(monthly(1, { weekday: FRIDAY, nth: 4 }, '08:30:00'), 2.2, 2, 'Core PCE Price Index'),
    ...prices(monthly(1, { weekday: THURSDAY, nth: 2 }, '08:30:00'), 2.1, 2, 'PPI'),
    single('Retail Sales (MoM)', 3, monthly(1, { date: 16 }, '08:30:00'), level(0.3, 0.6, 0.1), 1, '%'),
    single('ISM Manufacturing PMI', 3, monthly(1, { businessDay: 1 }, '10:00:00'), level(50, 2.2, 0.85), 1, ''),
    single('ISM Services PMI', 3, monthly(1, { businessDay: 3 }, '10:00:00'), level(52.5, 1.8, 0.8), 1, ''),
    single('Michigan Consumer Sentiment', 2, monthly(0, { weekday: FRIDAY, nth: 2 }, '10:00:00'), level(72, 6, 0.9), 1, ''),
    single('Initial Jobless Claims', 2, { every: 'week', weekday: THURSDAY, time: '08:30:00' }, level(228, 14, 0.85), 0, 'K'),
    single('Fed Interest Rate Decision', 3, fedMeeting, following('us', 0.25), 2, '%'),
    ...grossProduct(quarterly(1, { weekday: THURSDAY, nth: 4 }, '08:30:00'), 2.3),
  ],
  HK: [
    ...prices(monthly(1, { date: 22 }, '16:30:00'), 1.9, 2),
    single('Unemployment Rate', 2, monthly(1, { date: 18 }, '16:30:00'), level(3.2, 0.3, 0.95), 1, '%'),
    single('Retail Sales (YoY)', 2, monthly(1, { businessDay: 21 }, '16:30:00'), level(1.5, 4, 0.7), 1, '%'),
    single('Manufacturing and Services PMI', 1, monthly(1, { businessDay: 3 }, '08:30:00'), level(50.3, 1.6, 0.8), 1, ''),
    ...grossProduct(quarterly(2, { date: 14 }, '16:30:00'), 2.4),
  ],
  CN: [
    ...prices(monthly(1, { date: 9 }, '09:30:00'), 1.2, 3),
    ...prices(monthly(1, { date: 9 }, '09:30:00'), 0.4, 2, 'PPI'),
    single('NBS Manufacturing PMI', 3, monthly(1, { date: 1 }, '09:30:00'), level(50.1, 0.7, 0.8), 1, ''),
    single('Industrial Production (YoY)', 2, mainlandOutput, level(5.2, 0.9, 0.7), 1, '%'),
    single('Retail Sales (YoY)', 2, mainlandOutput, level(4.2, 1.5, 0.6), 1, '%'),
    single('Loan Prime Rate 1Y', 3, monthly(0, { date: 20 }, '09:00:00'), rate(3, 0.25, 0.1), 2, '%'),
    ...grossProduct(quarterly(1, { date: 17 }, '10:00:00'), 4.9),
  ],
  JP: [
    ...prices(monthly(1, { weekday: FRIDAY, nth: 3 }, '08:30:00'), 2.1, 3),
    single('Unemployment Rate', 2, monthly(1, { businessDay: 20 }, '08:30:00'), level(2.5, 0.15, 0.95), 1, '%'),
    single('Industrial Production (MoM)', 2, monthly(1, { businessDay: 21 }, '08:50:00'), level(0.2, 1.4, -0.2), 1, '%'),
    single('Tankan Large Manufacturers Index', 2, quarterly(1, { businessDay: 1 }, '08:50:00'), level(12, 4, 0.85), 0, ''),
    single('BoJ Interest Rate Decision', 3, bojMeeting, following('jp', 0.25), 2, '%'),
    ...grossProduct(quarterly(2, { date: 15 }, '08:50:00'), 1),
  ],
  SG: [
    ...prices(monthly(1, { date: 23 }, '13:00:00'), 1.6, 2),
    single('Non-Oil Domestic Exports (YoY)', 2, monthly(1, { date: 17 }, '08:30:00'), level(3, 6, 0.5), 1, '%'),
    ...grossProduct(quarterly(1, { date: 14 }, '08:00:00'), 2.8),
  ],
  MY: [
    ...prices(monthly(1, { date: 22 }, '12:00:00'), 1.8, 2),
    single('Overnight Policy Rate', 3, malaysiaMeeting, rate(2.75, 0.3, 0.25), 2, '%'),
    ...grossProduct(quarterly(2, { date: 14 }, '12:00:00'), 4.6),
  ],
  AU: [
    ...prices(monthly(1, { weekday: WEDNESDAY, nth: 4 }, '11:30:00'), 2.7, 3),
    single('Employment Change', 2, australiaJobs, level(25, 28, 0.1), 1, 'K'),
    single('Unemployment Rate', 3, australiaJobs, level(4.1, 0.25, 0.95), 1, '%'),
    single('RBA Interest Rate Decision', 3, rbaMeeting, rate(3.75, 0.5, 0.25), 2, '%'),
    ...grossProduct(quarterly(3, { weekday: WEDNESDAY, nth: 1 }, '11:30:00'), 2.1),
  ],
  CA: [
    ...prices(monthly(1, { weekday: TUESDAY, nth: 3 }, '08:30:00'), 2, 3),
    single('Employment Change', 2, canadaJobs, level(20, 30, 0.1), 1, 'K'),
    single('Unemployment Rate', 3, canadaJobs, level(6.6, 0.35, 0.95), 1, '%'),
    single('BoC Interest Rate Decision', 3, bocMeeting, rate(2.5, 0.5, 0.25), 2, '%'),
    ...grossProduct(quarterly(2, { weekday: FRIDAY, nth: 4 }, '08:30:00'), 1.8),
  ],
};

/** Every indicator, each with its economy. */
export const indicators: readonly Indicator[] = Object.entries(rows).flatMap(([economy, ofEconomy]) =>
  ofEconomy.map((row) => ({ ...row, economy: economy as Economy })),
);
