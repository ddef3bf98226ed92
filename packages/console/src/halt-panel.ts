import { type Api, Problem } from './api.js';
import type { Confirmation } from './confirm.js';
import { element } from './dom.js';
import { joined } from './format.js';
import { type Fields, numberOf, rowsOf, textOf } from './json.js';
import { emptyLine, Panel, scroller } from './panel.js';
import { Table } from './table.js';

const REASON_BYTES_MAX = 256;

/** Halts that are in force, and the means to halt and to resume; for keys with the scope `admin`. */
export class HaltPanel {
  readonly panel = new Panel('halts', 'Trading halts');
  readonly #table: Table<Fields>;
  readonly #empty = emptyLine('Nothing is halted.');

  /** `onChange` is called when a halt or a resume has been carried out. */
  constructor(
    readonly api: Api,
    readonly confirmation: Confirmation,
    readonly onChange: () => void,
  ) {
    const table = element('table');
    this.#table = new Table(
      table,
      [
        { title: 'Halted', heading: true, text: subject },
        {
          title: 'Since',
          text: ({ since }) => new Date(textOf(since)).toLocaleString([], { dateStyle: 'short', timeStyle: 'medium' }),
        },
        { title: 'Why', text: ({ by, reason }) => joined([textOf(by), textOf(reason)], ': ') },
        {
          title: '',
          make: (cell, row) => {
            const button = element(
              'button',
              { type: 'button', 'aria-label': `Resume trading of ${subject(row()).toLowerCase()}` },
              'Resume',
            );
            button.addEventListener('click', () => this.#askResume(row()));
            cell.append(button);
          },
        },
      ],
      ({ key_id: keyId }) => textOf(keyId),
    );
    const halt = element('button', { type: 'button', class: 'danger' }, 'Halt trading…');
    halt.addEventListener('click', () => this.#askHalt());
    this.panel.side.append(halt);
    this.panel.body.append(scroller('Trading halts', table), this.#empty);
    this.show([]);
  }

  show(halts: readonly Fields[]): void {
    this.#table.show(halts);
    this.#table.table.hidden = halts.length === 0;
    this.#empty.hidden = halts.length > 0;
  }

  #askHalt(): void {
    const keyId = element('input', { id: 'halt-key', maxlength: '200', autocomplete: 'off', spellcheck: 'false' });
    const reason = element('input', { id: 'halt-reason', maxlength: '200', autocomplete: 'off' });
    const cancelAll = element('input', { id: 'halt-cancel', type: 'checkbox' });
    this.confirmation.ask({
      title: 'Halt trading?',
      sentences: [
        'From the next order on, the daemon refuses everything that adds risk, on every interface. Cancels and orders that only reduce a position pass. It holds over restarts, until somebody resumes.',
        'Orders that are open stay open, unless you have them cancelled too. Exits of brackets stay in any case: they guard positions.',
      ],
      fields: [
        field(keyId, 'Only this key', 'Empty: every caller'),
        field(reason, 'Reason', 'Shown wherever the halt is'),
        element(
          'p',
          { class: 'check' },
          cancelAll,
          element('label', { for: 'halt-cancel' }, 'Also cancel open orders: of all accounts, or of those that the key may trade in'),
        ),
      ],
      action: 'Halt',
      refuse: 'Leave trading as it is',
      again: 'Trying again halts again, with a later time, and cancels again where that is ticked.',
      run: async () => {
        const [only, why] = [keyId.value.trim(), reason.value.trim()];
        if (new TextEncoder().encode(why).length > REASON_BYTES_MAX)
          throw new Problem(`the reason is longer than ${REASON_BYTES_MAX} bytes`, '', 400);
        const answer = await this.api.post('api/admin/halt', {
          ...(only === '' ? {} : { key_id: only }),
          ...(why === '' ? {} : { reason: why }),
          cancel_all: cancelAll.checked,
        });
        this.onChange();
        return `Trading is halted for ${only === '' ? 'everybody' : `key “${only}”`}. ${cancelAll.checked ? cancelsInWords(answer) : ''}`.trimEnd();
      },
    });
  }

  #askResume(halt: Fields): void {
    const keyId = textOf(halt.key_id);
    const whom = keyId === '' ? 'everybody' : `key “${keyId}”`;
    this.confirmation.ask({
      title: `Resume trading of ${whom}?`,
      sentences: [
        `It was halted by ${textOf(halt.by)}${textOf(halt.reason) === '' ? '' : `: ${textOf(halt.reason)}`}.`,
        `Orders of ${whom} are accepted again at once, within the limits of each key. Other halts stay in force.`,
      ],
      action: 'Resume',
      refuse: 'Stay halted',
      again: 'Trying again also ends a halt that was ordered since: look at the list first.',
      run: async () => {
        const { resumed } = await this.api.post('api/admin/resume', keyId === '' ? {} : { key_id: keyId });
        this.onChange();
        return resumed === true ? `Trading of ${whom} is resumed.` : `Trading of ${whom} was not halted.`;
      },
    });
  }
}

/** Outcome of the open orders, account by account. */
function cancelsInWords({ account_list: list, failure }: Fields): string {
  const accounts = rowsOf(list);
  const sum = (name: string) => accounts.reduce((total, row) => total + (numberOf(row[name]) ?? 0), 0);
  const failures = accounts.flatMap((row) =>
    row.failure === undefined ? [] : `account …${textOf(row.acc_id).slice(-4)}: ${textOf(row.failure)}`,
  );
  const kept = sum('kept_count');
  return joined(
    [
      `Cancels accepted for ${sum('accepted_count')} of ${sum('order_count')} open orders.`,
      kept === 0 ? '' : `Exits of brackets that stay: ${kept}.`,
      failure === undefined ? '' : `Orders could not be looked for: ${textOf(failure)}.`,
      ...failures,
    ],
    ' ',
  );
}

function subject({ key_id: keyId }: Fields): string {
  return keyId === undefined ? 'Everybody' : `Key “${textOf(keyId)}”`;
}

function field(input: HTMLInputElement, title: string, hint: string): HTMLElement {
  input.placeholder = hint;
  return element('p', { class: 'field' }, element('label', { for: input.id }, title), input);
}
