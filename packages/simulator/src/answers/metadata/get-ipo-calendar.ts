import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { ipoEvent } from '@svc-gateway/contract/enums';
import { type C2S, IpoEventSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/ipo_calendar_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { quoted } from '@svc-gateway/contract/shown';
import { dayNumber, epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { offerings } from '../../view/offerings.js';
import { known } from '../../view/optional-fields.js';

const RANGE_DAYS_MAX = 366;
const COMPACT_DAY = /^(\d{4})(\d{2})(\d{2})$/;

const numbers = new Map<string, number>(ipoEvent.members.map(({ name, public: number }) => [name, number]));

/** svc.ipo_calendar: what happens to a market's offerings from day to day, in order of date. Futures markets have none. */
export const getIpoCalendar: Answer<'world' | 'companies' | 'listings', C2S, S2C> = (facts, request) => {
  const market = quoteMarketNumbered(request.market);
  if (market === undefined) return new Refusal(`invalid market ${request.market}`, 'broker.value');
  const from = dayOf('begin_date', request.beginDate);
  if (from instanceof Refusal) return from;
  const to = dayOf('end_date', request.endDate);
  if (to instanceof Refusal) return to;
  if (from > to) return new Refusal('begin_date is after end_date');
  if ((dayNumber(to) ?? 0) - (dayNumber(from) ?? 0) >= RANGE_DAYS_MAX) {
    return new Refusal(`begin_date to end_date: at most ${RANGE_DAYS_MAX} days`, 'broker.value');
  }
  const wanted = new Set(request.eventTypes);
  const all = request.market === HK_FUTURE ? [] : offerings(facts, market.name, from, to);
  const eventList = all.flatMap((offering) => {
    const listing = facts.listings.of(offering.equity);
    const today = facts.world.today(offering.equity);
    const isPriced = offering.pricedOn <= today;
    return offering.events
      .map(({ event, day }) => ({ day, eventType: numbers.get(event) ?? 0 }))
      .filter(({ day, eventType }) => day >= from && day <= to && (wanted.size === 0 || wanted.has(eventType)))
      .map(({ day, eventType }) =>
        create(
          IpoEventSchema,
          known({
            security: listing.security,
            name: listing.instrument.name,
            eventType,
            date: day.replaceAll('-', ''),
            timestamp: epochSeconds(parseLocal(day, listing.market.timeZone)),
            ipoPriceMin: decimalToNumber(isPriced ? offering.price : offering.priceMin),
            ipoPriceMax: decimalToNumber(isPriced ? offering.price : offering.priceMax),
            issueSize: offering.size,
          }),
        ),
      );
  });
  return create(S2CSchema, { eventList: eventList.sort((a, b) => a.timestamp - b.timestamp) });
};

/** Qot_Common.QotMarket. */
const HK_FUTURE = 2;

function dayOf(field: string, text: string): string | Refusal {
  const [, year, month, day] = COMPACT_DAY.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  if (year !== undefined && dayNumber(date) !== undefined) return date;
  return new Refusal(`${field}: expected a date as yyyyMMdd, found ${quoted(text)}`, 'broker.value');
}
