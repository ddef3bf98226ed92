import { element, setAttribute, setText } from './dom.js';
import { figure, joined } from './format.js';
import { type Fields, textOf } from './json.js';
import { emptyLine, Panel, scroller } from './panel.js';
import { Table } from './table.js';
import type { Who } from './who.js';

const DAY_MS = 86_400_000;
/** From then on an expiry is a matter for today. */
const SOON_MS = 7 * DAY_MS;

/** The caller's key: what it may do, until when, and how much of each limit is used. */
export class KeyPanel {
  readonly panel = new Panel('key', 'Key');
  readonly #scopes = element('ul', { class: 'tags', 'aria-label': 'Scopes' });
  readonly #expiry = element('p', { class: 'facts' });
  readonly #empty = emptyLine('No limits are set.');
  readonly #table: Table<Fields>;

  constructor() {
    const table = element('table', { class: 'limits' });
    this.#table = new Table(
      table,
      [
        { title: 'Limit', heading: true, text: nameOf },
        { title: 'Used', class: 'number', show: showUse },
        { title: 'Left', class: 'number', text: ({ left }) => (left === undefined ? '' : figure(textOf(left))) },
      ],
      ({ holder, name, currency, acc_id }) => joined([textOf(holder), textOf(name), textOf(currency), textOf(acc_id)], ' '),
    );
    this.panel.body.append(this.#expiry, this.#scopes, scroller('Limits', table), this.#empty);
  }

  show({ keyId, scopes, expiresAt, limits }: Who): void {
    setText(this.panel.heading, keyId === undefined ? 'No key needed' : `Key “${keyId}”`);
    const left = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.now();
    const when = expiresAt === undefined ? '' : new Date(expiresAt).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
    const words =
      keyId === undefined
        ? 'This daemon has no keys file: this machine may read, and nobody may trade or administer.'
        : left === undefined
          ? 'Never expires.'
          : `Expires ${when}${left < SOON_MS ? `, in ${Math.max(0, Math.floor(left / DAY_MS))} days` : ''}.`;
    setText(this.#expiry, words);
    setAttribute(this.#expiry, 'class', left !== undefined && left < SOON_MS ? 'facts warning' : 'facts');
    if (
      this.#scopes.children.length !== scopes.size ||
      [...this.#scopes.children].some(({ textContent }) => !scopes.has(textContent ?? ''))
    )
      this.#scopes.replaceChildren(...[...scopes].map((scope) => element('li', {}, scope)));
    this.#table.show(limits);
    this.#table.table.hidden = limits.length === 0;
    this.#empty.hidden = limits.length > 0;
  }
}

function nameOf({ name, holder }: Fields): string {
  const words = textOf(name).replaceAll('_', ' ');
  return holder === 'daemon' ? `${words} (of all callers)` : words;
}

/** "1,200 of 50,000 HKD" with a bar of that length; of a list, what is allowed. */
function showUse(cell: HTMLElement, row: Fields): void {
  const { limit, used, currency, allowed_list: allowed, open, unknown, free_at: freeAt } = row;
  const amount = textOf(limit);
  const shown = /^\d/.test(amount) && !amount.includes(':') ? joined([figure(amount), textOf(currency)], ' ') : amount;
  const list = Array.isArray(allowed) ? allowed.map((one) => textOf(one as string)).join(', ') : '';
  const hours = open === undefined ? '' : open === true ? ' (open now)' : ' (closed now)';
  setText(
    cell,
    unknown === undefined
      ? used === undefined
        ? (shown || list || 'none') + hours
        : `${figure(textOf(used))} of ${shown}`
      : textOf(unknown),
  );
  setAttribute(cell, 'title', freeAt === undefined ? undefined : `free again from ${new Date(textOf(freeAt)).toLocaleString()}`);
  const part = used === undefined ? 0 : Math.min(1, Number(textOf(used)) / Number(amount));
  cell.style.setProperty('--used', Number.isFinite(part) ? String(part) : '0');
  setAttribute(cell, 'class', joined(['number', used === undefined ? '' : 'meter', part >= 0.8 ? 'high' : ''], ' '));
}
