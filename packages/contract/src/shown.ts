/** Longest text of a caller or a server that an error, an answer, a log line or the audit trail repeats, in characters. */
const SHOWN_MAX = 200;
/** Longest message as a whole: some list everything that is accepted. */
const MESSAGE_MAX = 4_000;
const LISTED_MAX = 20;

/**
 * Repeats somebody else's text: names, paths, addresses and values of requests, and the words of servers. Beyond `max` characters
 * (code points) it is cut and says how long it was. Half a surrogate pair becomes U+FFFD where a text is cut.
 */
export function shown(text: string, max = SHOWN_MAX): string {
  // A character takes one or two units.
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count++) end += unitsAt(text, end);
  if (end >= text.length) return text;
  // A text of its own, where a slice would keep the whole in memory.
  return `${Buffer.from(text.slice(0, end)).toString()}… (${lengthOf(text)} characters)`;
}

/** The same in double quotes, escaped as in JSON. */
export function quoted(text: string, max = SHOWN_MAX): string {
  return JSON.stringify(shown(text, max));
}

/** A whole message, bounded whatever it repeats. */
export function shownMessage(message: string): string {
  return shown(message, MESSAGE_MAX);
}

/** Names separated by commas, the first of a long list and how many more there are. */
export function listed(names: Iterable<string>, max = LISTED_MAX): string {
  const all = [...names];
  const first = all
    .slice(0, max)
    .map((name) => shown(name))
    .join(', ');
  return all.length > max ? `${first} and ${all.length - max} more` : first;
}

function lengthOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += unitsAt(text, at);
  return count;
}

function unitsAt(text: string, at: number): 1 | 2 {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
