import type { Problem } from './api.js';
import { element, setText } from './dom.js';

/** A part of the page with its heading, and a line for what went wrong in it. */
export class Panel {
  readonly heading: HTMLHeadingElement;
  readonly side = element('div', { class: 'side' });
  readonly body = element('div', { class: 'body' });
  readonly section: HTMLElement;
  readonly #trouble = element('p', { class: 'trouble' });

  constructor(id: string, title: string) {
    this.heading = element('h2', { id: `${id}-title` }, title);
    this.#trouble.hidden = true;
    this.section = element(
      'section',
      { id, class: 'panel', 'aria-labelledby': `${id}-title` },
      element('header', {}, this.heading, this.side),
      this.#trouble,
      this.body,
    );
  }

  /** Says what went wrong, in the words that came; nothing when all is well again. */
  trouble(words: string | undefined): void {
    this.#trouble.hidden = words === undefined;
    setText(this.#trouble, words ?? '');
  }
}

/** A problem in a sentence: what the daemon said, and how long to wait where it says so. */
export function wordsOf({ message, code, retryAfter }: Problem): string {
  const wait = retryAfter === undefined ? '' : ` Try again in ${retryAfter} s.`;
  return `${message}${code === '' || code === 'unreachable' ? '' : ` (${code})`}.${wait}`;
}

/** A table that scrolls by itself where it is wider than the screen: it can be reached and scrolled with the keyboard. */
export function scroller(label: string, table: HTMLTableElement): HTMLElement {
  return element('div', { class: 'scroller', role: 'region', 'aria-label': label, tabindex: '0' }, table);
}

/** Line in place of a table without rows. */
export function emptyLine(text: string): HTMLParagraphElement {
  const line = element('p', { class: 'empty' }, text);
  line.hidden = true;
  return line;
}
