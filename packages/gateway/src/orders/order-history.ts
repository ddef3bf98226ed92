/** How far back orders are looked for: the longest range that the public protocol answers at once. */
export const HISTORY_DAYS = 90;
const DAY_MS = 86_400_000;

/** The dates between which an order is looked for that is not among today's. `now`: epoch ms. */
export function historySpan(now: number): { readonly beginTime: string; readonly endTime: string } {
  return { beginTime: day(now - HISTORY_DAYS * DAY_MS), endTime: day(now + DAY_MS) };
}

/** The dates after {@link historySpan}: what a brokerage recorded under later ones before the clock was set back. */
export function followingSpan(now: number): { readonly beginTime: string; readonly endTime: string } {
  return { beginTime: day(now + DAY_MS), endTime: day(now + HISTORY_DAYS * DAY_MS) };
}

/** "2026-11-20", in UTC: a day of margin lies on either side. */
function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
