import { DAY_MS } from '@svc-gateway/contract/time';

const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|\+00:00)$/;

/** Epoch ms of an ISO 8601 UTC timestamp, "2026-08-01T09:30:00Z"; undefined for any other form, zone or date that does not exist. */
export function parseUtcTimestamp(text: string): number | undefined {
  const date = TIMESTAMP.exec(text)?.[1];
  if (date === undefined) return undefined;
  const time = Date.parse(text);
  // The platform's parser lets 30 February pass as 2 March.
  return new Date(time).toISOString().startsWith(date) ? time : undefined;
}

let cachedDay = Number.NaN;
let cachedText = '';

/** "2026-08-01": the UTC day of a moment (epoch ms). */
export function utcDay(now: number): string {
  const day = Math.floor(now / DAY_MS);
  if (day !== cachedDay) {
    cachedText = new Date(now).toISOString().slice(0, 10);
    cachedDay = day;
  }
  return cachedText;
}

/** Seconds until the next UTC midnight, at least 1. */
export function secondsUntilNextUtcDay(now: number): number {
  return Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
}
