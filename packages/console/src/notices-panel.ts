import { element, setText } from './dom.js';
import { type Fields, fieldsOf, numberOf, textOf } from './json.js';
import { emptyLine, Panel } from './panel.js';

const KEPT = 50;
const GATEWAY_EVENT = 1003;
const PRICE_REMINDER = 3019;

/** Notices of the gateway and the backend: connections, gaps, halts, reminders. Newest first, and no more than fit. */
export class NoticesPanel {
  readonly panel = new Panel('notices', 'Notices');
  readonly #list = element('ol', { class: 'notices' });
  readonly #empty = emptyLine('Nothing yet. Gaps, halts and connection changes are told here.');

  constructor() {
    this.#empty.hidden = false;
    this.panel.body.append(this.#empty, this.#list);
  }

  add(text: string): void {
    this.#empty.hidden = true;
    const now = new Date();
    const newest = this.#list.firstElementChild;
    // Repeated notices, as at each connection, are one line.
    if (newest?.querySelector('span')?.textContent === text) {
      const time = newest.querySelector('time');
      if (time !== null) setText(time, now.toLocaleTimeString());
      return;
    }
    this.#list.prepend(element('li', {}, element('time', {}, now.toLocaleTimeString()), element('span', {}, text)));
    while (this.#list.children.length > KEPT) this.#list.lastElementChild?.remove();
  }
}

/** A `notify` frame in words; undefined of one that says nothing to a reader. */
export function noticeOf(frame: Fields): string | undefined {
  const body = fieldsOf(frame.body);
  if (frame.proto_id === PRICE_REMINDER) return `Price reminder, ${textOf(frame.symbol)}: ${textOf(body.note) || textOf(body.set_value)}`;
  if (frame.proto_id !== GATEWAY_EVENT) return `Option alert, ${textOf(frame.symbol)}`;
  const gap = fieldsOf(body.gap);
  if (gap.from !== undefined) return `Gap from ${textOf(gap.from)} to ${textOf(gap.to)}: ${textOf(gap.reason)}`;
  const dropped = numberOf(body.dropped);
  if (dropped !== undefined)
    return `${dropped} ticks of ${textOf(body.symbol) || textOf(frame.symbol)} were dropped: this page reads too slowly`;
  const connected = fieldsOf(body.connect_status);
  if (connected.qot_logined !== undefined)
    return `Quotes are ${connected.qot_logined === true ? 'up' : 'down'}, trading is ${connected.trd_logined === true ? 'up' : 'down'}`;
  return textOf(fieldsOf(body.event).desc) || undefined;
}

/** Words of a frame about simulated data, in the backend's language. */
export function simulatedIn(frame: Fields): string | undefined {
  const body = fieldsOf(frame.body);
  const words = textOf(fieldsOf(fieldsOf(body.program_status).program_status).str_ext_desc);
  return words.startsWith('simulated') ? words : undefined;
}
