/**
 * Result codes of trading that are for callers, whatever the words beside them: a two-factor token is needed, the channel is not supported
 * (a lock, no permission, no connection to the firm), and contract fields disagree. Every other code is for logs.
 */
export const tradeResultCodes: ReadonlySet<number> = new Set([-20011, -102, 110005]);
