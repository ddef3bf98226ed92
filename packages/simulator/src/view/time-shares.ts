import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type TimeShare, TimeShareSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { TimeSharePoint } from '../market/index.js';
import type { Listing } from './listings.js';

const MINUTE_MS = 60_000;

/** A minute of the day's line. It is named by its end, as its bar is; the last minute of a day is "00:00:00", minute 0. */
export function timeShareMessage(listing: Listing, point: TimeSharePoint): TimeShare {
  const end = point.time + MINUTE_MS;
  const message = create(TimeShareSchema);
  message.time = localDateTime(end, listing.market.timeZone);
  message.timestamp = end / 1000;
  message.minute = Number(message.time.slice(11, 13)) * 60 + Number(message.time.slice(14, 16));
  message.isBlank = false;
  message.price = decimalToNumber(point.price);
  message.lastClosePrice = decimalToNumber(point.previousClose);
  message.avgPrice = decimalToNumber(point.averagePrice);
  message.volume = point.volume;
  message.turnover = decimalToNumber(point.turnover);
  return message;
}
