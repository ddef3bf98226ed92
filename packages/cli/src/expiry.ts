import { err, ok, parseUtcTimestamp, type Result } from '@svc-gateway/access';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DURATION = /^([1-9]\d{0,4})([mhdw])$/;

/** Parses `--expires` to epoch ms: a time in UTC, a day (its start in UTC), or a time span from now. Never in the past. */
export function parseExpiry(text: string, now: number): Result<number, string> {
  const [, count, unit] = DURATION.exec(text) ?? [];
  const time =
    count !== undefined && unit !== undefined
      ? now + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
      : parseUtcTimestamp(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time === undefined) return err(`--expires must be like 2027-01-31T00:00:00Z, 2027-01-31, 30d, 12h, 90m or 4w; found "${text}"`);
  return time > now ? ok(time) : err(`--expires is in the past: ${new Date(time).toISOString()}`);
}
