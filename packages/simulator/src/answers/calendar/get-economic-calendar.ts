import { Importance } from '@svc-gateway/contract/generated/Qot_GetEconomicCalendar_pb';
import { economyMarket, importance } from '@svc-gateway/contract/list-enums';
import type { calendar as declared } from '@svc-gateway/contract/operations';
import { DAY_MS } from '@svc-gateway/contract/time';
import { type Economy, economies, type MacroEvent, type ScheduledEvent } from '../../macro/index.js';
import { Refusal } from '../../refusal.js';
import { checkChoice, daysOf } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 100;
const DAYS_MAX = 366;

/** By Qot_Common.QotMarket. */
const economyOf: Readonly<Record<number, Economy>> = { 1: 'HK', 11: 'US', 21: 'CN', 31: 'SG', 41: 'JP', 51: 'AU', 61: 'MY', 71: 'CA' };

/** Qot_GetEconomicCalendar: publications of economic figures, by time, in pages. Dates are days of UTC. */
export const getEconomicCalendar: AnswerTo<typeof declared.getEconomicCalendar> = ({ clock, macro }, request) => {
  const days = daysOf('begin_date', request.beginDate, 'end_date', request.endDate || request.beginDate, DAYS_MAX);
  if (days instanceof Refusal) return days;
  const wanted = request.importance;
  const { count, marketList } = request;
  for (const [index, market] of marketList.entries()) {
    const unknown = checkChoice(`market_list[${index}]`, market, economyMarket);
    if (unknown !== undefined) return unknown;
  }
  const unknown = checkChoice('importance', wanted, importance);
  if (unknown !== undefined) return unknown;
  if (!(count >= 1 && count <= COUNT_MAX)) return new Refusal(`count ${count}: expected 1 to ${COUNT_MAX}`, 'broker.value');
  const resume = readPage(request.nextPage);
  if (resume instanceof Refusal) return resume;

  const of = new Set(marketList.length === 0 ? Object.values(economyOf) : marketList.flatMap((market) => economyOf[market] ?? []));
  const scheduled = macro
    .schedule(days.first * DAY_MS, (days.last + 1) * DAY_MS - 1, of)
    .filter(({ indicator }) => wanted === Importance.All || indicator.importance === wanted);
  const first = resume === undefined ? 0 : scheduled.findIndex((event) => pageKey(event) === resume);
  if (first < 0) return badPage();
  const next = scheduled[first + count];
  const now = clock.now();
  const page = scheduled.slice(first, first + count).map((event) => itemOf(macro.event(event, now)));
  return { itemList: page, hasMore: next !== undefined, ...(next === undefined ? {} : { nextPage: pageKey(next) }) };
};

/** The page that begins with an event. Callers are not to read it. */
function pageKey({ indicator, time }: ScheduledEvent): string {
  return Buffer.from(`${time}|${indicator.economy}|${indicator.title}`).toString('base64url').slice(0, PAGE_KEY_MAX);
}

const PAGE_KEY_MAX = 64;

function readPage(text: string): string | undefined | Refusal {
  if (text === '') return undefined;
  return /^[\w-]{1,64}$/.test(text) ? text : badPage();
}

function badPage(): Refusal {
  return new Refusal('next_page: does not come from an earlier page of this request');
}

function itemOf({ title, time, economy, importance: star, previous, consensus, actual }: MacroEvent) {
  const { country } = economies[economy];
  return { title, timestamp: time / 1000, country, star, previous, consensus, actual };
}
