import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type S2C,
  S2CSchema,
  type SecuritySuspend,
  SecuritySuspendSchema,
  SuspendSchema,
} from '@svc-gateway/contract/generated/Qot_GetSuspend_pb';
import { dayNumber, epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { dayOf, dayRange } from '../../view/dates.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import { known as knownFields } from '../../view/optional-fields.js';
import { kinds } from '../../world/kinds.js';

const SYMBOLS_MAX = 400;
/** Ten years of ten symbols. */
const SYMBOL_DAYS_MAX = 36_600;

/** Qot_GetSuspend: the trading days on which nothing traded, though the market did, from the first day of trading to the last that is over. */
export const getSuspend: Answer<'clock' | 'world' | 'market' | 'listings', C2S, S2C> = (facts, request) => {
  const listings = locateAllTerms(facts, request.securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const [beginTime, endTime] = [dayOf(request.beginTime), dayOf(request.endTime)];
  const refused = dayRange(beginTime, endTime, SYMBOL_DAYS_MAX);
  if (refused !== undefined) return refused;
  const days = (dayNumber(endTime) ?? 0) - (dayNumber(beginTime) ?? 0) + 1;
  if (days * listings.length > SYMBOL_DAYS_MAX) {
    return new Refusal(
      `${listings.length} symbols over ${days} days: at most ${SYMBOL_DAYS_MAX} symbol-days in one request`,
      'broker.value',
    );
  }
  const payload = create(S2CSchema);
  for (const listing of listings) payload.SecuritySuspendList.push(suspensions(facts, listing, beginTime, endTime));
  return payload;
};

function suspensions(
  { clock, world, market }: Facts<'clock' | 'world' | 'market'>,
  { instrument, market: { timeZone }, security }: Listing,
  beginTime: string,
  endTime: string,
): SecuritySuspend {
  const { listDate, lastTradingDay = '9999-12-31', kind } = instrument;
  const calendar = world.calendar(instrument);
  const [first] = market.bars(instrument, { unit: 'day' }, { from: 0, limit: 1 });
  // Before the first bar of loaded history nothing is known.
  const known = first === undefined ? listDate : calendar.tradingDay(first.start);
  const from = [beginTime, listDate, known].reduce((latest, day) => (day > latest ? day : latest));
  const to = endTime < lastTradingDay ? endTime : lastTradingDay;
  // Instruments without trades of their own are never suspended.
  const days = !kinds[kind].quoted || from > to ? [] : calendar.tradingDays(from, to);
  const found: string[] = [];
  for (const { day } of days) {
    const sessions = calendar.sessions(day);
    const [start, end] = [sessions[0]?.start ?? 0, sessions.at(-1)?.end ?? 0];
    if (end > clock.now()) break;
    if (market.bars(instrument, { unit: 'day' }, { from: start, to: end, limit: 1 }).length === 0) found.push(day);
  }
  const suspendList = found.map((time) =>
    create(SuspendSchema, { time, ...knownFields({ timestamp: epochSeconds(parseLocal(time, timeZone)) }) }),
  );
  return create(SecuritySuspendSchema, { security, suspendList });
}
