import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema, type YieldPoint, YieldPointSchema } from '@svc-gateway/contract/generated/svc/yield_trend_pb';
import { currencies } from '../../brokerage/terms.js';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { assetsHistory } from './assets-history.js';
import { dayProblem, type Period, periodsBetween } from './return-periods.js';
import { returnQueryOf } from './return-query.js';
import { outcomeFields, outcomeOf } from './returns.js';

/** Points of one answer: a year of days. */
const POINTS_MAX = 366;

/** svc.yield_trend: assets, profit and yield since the beginning of a range, at the end of each of its days, months or years. */
export const getYieldTrend: Answer<'clock' | 'world' | 'market' | 'brokerage', C2S, S2C> = async (facts, { header, range, method }) => {
  const { brokerage, clock } = facts;
  if (range === undefined) return missing(['range']);
  const { currency: asked, queryType, timeLocation, priceContext } = range;
  const query = returnQueryOf(brokerage, { header, currency: asked, queryType, method, timeLocation, priceContext });
  if (query instanceof Refusal) return query;
  const { to, currency, unit, timeZone, context } = query;
  const { startDate, endDate } = range;
  const problem = dayProblem('range.start_date', startDate) ?? dayProblem('range.end_date', endDate);
  if (problem !== undefined) return problem;
  if (startDate > endDate) return new Refusal(`range.start_date ${startDate} is after range.end_date ${endDate}`, 'broker.value');
  const periods: Period[] = [];
  for (const period of periodsBetween(unit, startDate, endDate, timeZone)) {
    if (periods.length === POINTS_MAX)
      return new Refusal(`the range has more than ${POINTS_MAX} points: shorten it, or ask by month`, 'broker.value');
    periods.push(period);
  }
  await brokerage.records.journal.whenDurable(undefined);
  // Events at a moment count after it, so that "now" needs one millisecond more.
  const now = clock.now();
  const until = now + 1;
  const begun = periods.filter(({ begin }) => begin < until);
  const times = [...begun.slice(0, 1).map(({ begin }) => begin), ...begun.map(({ end }) => Math.min(end, until))];
  const { points, flows } = await assetsHistory(facts, to.account, currency, times, context);
  const [start, ...ends] = points;
  const opened = flows[0]?.time ?? Number.POSITIVE_INFINITY;
  const pointList = ends.flatMap((end, index): YieldPoint[] => {
    if (start === undefined || end.time <= opened) return [];
    const { inflow, rate } = outcomeOf(start, end, flows, query.method);
    const { endTime: time, endAssets: assets, netInflow, profit } = outcomeFields({ begin: start, end, inflow }, currency, now);
    const figures = { time, assets, netInflow, profit };
    return [create(YieldPointSchema, { period: begun[index]?.name ?? '', ...figures, ...known({ yield: rate }) })];
  });
  return create(S2CSchema, { header: to.header, currency: currencies.numberOf(currency), pointList });
};
