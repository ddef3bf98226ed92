import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '../../contract/decimal.js';
import { type TimeShare, TimeShareSchema } from '../../contract/generated/Qot_Common_pb.js';
import { localDateTime } from '../../contract/time.js';
import type { Bar } from '../market/market.js';
import { averagePrice } from './figures.js';
import type { Listing } from './listings.js';

/** What the day had traded up to and including a minute. */
export interface DaySoFar {
  readonly volume: bigint;
  readonly turnover: Decimal;
  readonly previousClose: Decimal;
}

/** A minute of the day's line. It is named by its end, as its bar is; the last minute of a day is "00:00:00", minute 0. */
export function timeShareMessage(listing: Listing, bar: Bar, day: DaySoFar): TimeShare {
  const message = create(TimeShareSchema);
  message.time = localDateTime(bar.end, listing.market.timeZone);
  message.timestamp = bar.end / 1000;
  message.minute = Number(message.time.slice(11, 13)) * 60 + Number(message.time.slice(14, 16));
  message.isBlank = false;
  message.price = decimalToNumber(bar.close);
  message.lastClosePrice = decimalToNumber(day.previousClose);
  message.avgPrice = averagePrice(listing.instrument, day.turnover, day.volume, bar.close);
  message.volume = bar.volume;
  message.turnover = decimalToNumber(bar.turnover);
  return message;
}
