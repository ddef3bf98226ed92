import { type Account, accountOf, changedAt, fillKey, headerOf, isOpenOrder, orderKey, symbolOfRow } from './account.js';
import {
  bracketColumns,
  fillColumns,
  orderInWords,
  Part,
  positionColumns,
  priceOf,
  securityColumn,
  showSide,
  timeText,
} from './account-tables.js';
import { type Api, Problem } from './api.js';
import { type Confirmation, DONE_ONCE } from './confirm.js';
import { announce, element, setAttribute, setText, trend } from './dom.js';
import { age, direction, figure, gain, joined, money } from './format.js';
import { type Fields, fieldsOf, numberOf, rowsOf, textOf } from './json.js';
import { Merged } from './merged.js';
import { bracketExitName, currencyName, orderTypeName, sideName, statusName, tradingMarketName } from './names.js';
import { Panel, wordsOf } from './panel.js';
import { Poll } from './poll.js';
import type { Column } from './table.js';
import { cancelForbidden, type Who } from './who.js';

/** Interval of reading funds and position values, which no push tells. */
const EVERY_MS = 10_000;
/** A fill changes positions and funds: they are asked for once when several come together. */
const SETTLE_MS = 400;
/** Three questions without an answer. */
const OLD_MS = 3 * EVERY_MS;
const ORDER_PUSH = 2208;
const FILL_PUSH = 2218;
/** States of a bracket that ask for nobody's attention any more. */
const BRACKET_ENDED = new Set([3, 4]);

const FIGURES = [
  ['total_assets', 'Total assets'],
  ['cash', 'Cash'],
  ['market_val', 'Market value'],
  ['power', 'Buying power'],
  ['frozen_cash', 'Frozen cash'],
  ['unrealized_pl', 'Unrealised P/L'],
] as const;

/** One account at a time: funds, positions, open orders, today's fills and brackets, kept up to date by order and fill pushes. */
export class AccountPanel {
  readonly panel = new Panel('account', 'Account');
  readonly #select = element('select', { 'aria-label': 'Account' });
  readonly #updated = element('span', { class: 'updated' });
  readonly #funds = element('dl', { class: 'funds' });
  readonly #positions: Part<Fields>;
  readonly #orders: Part<Fields>;
  readonly #fills: Part<Fields>;
  readonly #brackets: Part<Fields>;
  readonly #cancelAll = element('div', { class: 'buttons' });
  readonly #poll = new Poll(() => this.#load(), EVERY_MS);
  readonly #orderRows = new Merged<Fields>(orderKey, changedAt);
  readonly #fillRows = new Merged<Fields>(fillKey, changedAt);
  #bracketRows: readonly Fields[] = [];
  #accounts: readonly Account[] = [];
  #account: Account | undefined;
  #loadedAt: number | undefined;
  #settling: number | undefined;
  #who: Who;

  constructor(
    readonly api: Api,
    who: Who,
    readonly confirmation: Confirmation,
  ) {
    this.#who = who;
    this.#positions = new Part('positions', 'Positions', 'No positions.', positionColumns(), (row) => textOf(row.position_id));
    this.#orders = new Part('orders', 'Open orders', 'No open orders.', this.#orderColumns(), orderKey);
    this.#fills = new Part('fills', 'Fills today', 'No fills today.', fillColumns(), fillKey);
    this.#brackets = new Part('brackets', 'Brackets', 'No open brackets.', bracketColumns(), (row) => textOf(row.bracket_id));
    this.#orders.heading.after(this.#cancelAll);
    this.panel.side.append(this.#updated, this.#select);
    this.panel.body.append(this.#funds, ...[this.#orders, this.#positions, this.#fills, this.#brackets].map(({ part }) => part));
    this.#select.addEventListener('change', () => this.#choose(this.#select.value));
    void this.#open();
  }

  /** Scopes and switches may change while the page is open. */
  setWho(who: Who): void {
    this.#who = who;
    this.#showOrders();
  }

  /** Takes in a frame of the push stream. */
  take(frame: Fields): void {
    if (this.#account === undefined || textOf(frame.acc_id) !== this.#account.id) return;
    const body = fieldsOf(frame.body);
    if (frame.proto_id === ORDER_PUSH) {
      this.#orderRows.pushed(fieldsOf(body.order), Date.now());
      this.#showOrders();
    } else if (frame.proto_id === FILL_PUSH) {
      const fill = fieldsOf(body.order_fill);
      this.#fillRows.pushed(fill, Date.now());
      this.#fills.show(this.#fillRows.rows());
      announce(`${sideName(numberOf(fill.trd_side))} ${figure(numberOf(fill.qty))} ${symbolOfRow(fill)} filled`);
    } else return;
    window.clearTimeout(this.#settling);
    this.#settling = window.setTimeout(() => this.#poll.now(), SETTLE_MS);
  }

  /** The stream is up again: what it has missed is asked for. */
  reload(): void {
    this.#poll.now();
  }

  tick(): void {
    const old = this.#loadedAt === undefined ? 0 : Date.now() - this.#loadedAt;
    setText(this.#updated, this.#loadedAt === undefined ? '' : `Updated ${age(old)}${old < 2000 ? '' : ' ago'}`);
    setAttribute(this.panel.body, 'class', old > OLD_MS ? 'body old' : 'body');
  }

  close(): void {
    window.clearTimeout(this.#settling);
    this.#poll.close();
  }

  async #open(): Promise<void> {
    try {
      const { acc_list: list } = await this.api.get('api/accounts');
      this.#accounts = rowsOf(list).map(accountOf);
      this.panel.trouble(undefined);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      this.panel.trouble(wordsOf(thrown));
      // The daemon may be on its way up: the next round asks again.
      this.#settling = window.setTimeout(() => void this.#open(), EVERY_MS);
      return;
    }
    this.#select.replaceChildren(...this.#accounts.map(({ id, title }) => element('option', { value: id }, title)));
    const [first] = this.#accounts;
    if (first === undefined) this.panel.trouble('The key sees no account.');
    else this.#choose(first.id);
  }

  #choose(id: string): void {
    this.#account = this.#accounts.find((one) => one.id === id);
    this.#orderRows.clear();
    this.#fillRows.clear();
    this.#bracketRows = [];
    this.#loadedAt = undefined;
    this.#funds.replaceChildren();
    for (const part of [this.#positions, this.#orders, this.#fills, this.#brackets]) part.wait();
    this.#cancelAll.replaceChildren();
    setAttribute(this.panel.section, 'data-real', this.#account?.real === true ? 'true' : undefined);
    this.#poll.now();
  }

  async #load(): Promise<void> {
    const account = this.#account;
    if (account === undefined) return;
    const askedAt = Date.now();
    const ask = async (path: string, list: string) => {
      const answers = await Promise.all(account.markets.map((market) => this.api.post(path, headerOf(account, market))));
      return answers.flatMap((answer) => rowsOf(answer[list]));
    };
    const [market = 1] = account.markets;
    try {
      const [, funds, positions, orders, fills, brackets] = await Promise.all([
        // The key's other connections follow the account then too: registering is per key, and twice is as once.
        this.api.post('api/sub-acc-push', { acc_id_list: [account.id] }),
        this.api.post('api/funds', headerOf(account, market)),
        ask('api/positions', 'position_list'),
        ask('api/orders', 'order_list'),
        ask('api/order-fills', 'order_fill_list'),
        ask('api/brackets', 'bracket_list'),
      ]);
      // Another account was chosen meanwhile.
      if (account !== this.#account) return;
      this.#showFunds(fieldsOf(funds.funds));
      this.#positions.show(once(positions, (row) => textOf(row.position_id)));
      this.#bracketRows = once(brackets, (row) => textOf(row.bracket_id)).filter(({ state }) => !BRACKET_ENDED.has(numberOf(state) ?? 0));
      this.#brackets.show(this.#bracketRows);
      this.#orderRows.listed(once(orders, orderKey), askedAt);
      this.#fillRows.listed(once(fills, fillKey), askedAt);
      this.#showOrders();
      this.#fills.show(this.#fillRows.rows());
      this.#loadedAt = Date.now();
      this.panel.trouble(undefined);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      if (account === this.#account) this.panel.trouble(wordsOf(thrown));
    }
    this.tick();
  }

  #showFunds(funds: Fields): void {
    const currency = currencyName(numberOf(funds.currency));
    const shown = FIGURES.filter(([name]) => funds[name] !== undefined);
    this.#funds.replaceChildren(
      ...shown.map(([name, title]) => {
        const value = numberOf(funds[name]);
        const signed = name === 'unrealized_pl';
        const amount = element('span', { class: signed ? trend(direction(value)) : undefined }, signed ? gain(value) : money(value));
        return element('div', {}, element('dt', {}, title), element('dd', {}, amount, ' ', element('small', {}, currency)));
      }),
    );
  }

  #showOrders(): void {
    const account = this.#account;
    if (account === undefined) return;
    const open = this.#orderRows.rows().filter(isOpenOrder);
    this.#orders.show(open);
    const forbidden = cancelForbidden(this.#who, account.real);
    const markets = forbidden === undefined ? [...new Set(open.flatMap((row) => numberOf(row.trd_market) ?? []))] : [];
    const wanted = markets.map((market) => ({ market, count: open.filter((row) => row.trd_market === market).length }));
    // Kept where nothing has changed: a button must not be taken from under a finger.
    const title = ({ market, count }: { market: number; count: number }) => `Cancel all ${count} in ${tradingMarketName(market)}`;
    if (wanted.map(title).join() === [...this.#cancelAll.children].map(({ textContent }) => textContent).join()) return;
    this.#cancelAll.replaceChildren(
      ...wanted.map(({ market, count }) => {
        const button = element('button', { type: 'button', class: 'danger' }, title({ market, count }));
        button.addEventListener('click', () => this.#askCancelAll(account, market, count));
        return button;
      }),
    );
  }

  #orderColumns(): Column<Fields>[] {
    return [
      securityColumn,
      { title: 'Side', show: showSide },
      { title: 'Type', class: 'wide', text: (row) => orderTypeName(numberOf(row.order_type)) },
      { title: 'Price', class: 'number', text: priceOf },
      { title: 'Filled', class: 'number', text: (row) => `${figure(numberOf(row.fill_qty) ?? 0)} of ${figure(numberOf(row.qty))}` },
      {
        title: 'Status',
        text: (row) => joined([statusName(numberOf(row.order_status)), textOf(row.last_err_msg)], ': '),
      },
      { title: 'Remark', class: 'wide remark', text: (row) => textOf(row.remark) },
      { title: 'Placed', class: 'number wide', text: (row) => timeText(row.create_timestamp) },
      {
        title: '',
        make: (cell, row) => {
          const button = element('button', { type: 'button', class: 'quiet' }, 'Cancel');
          button.addEventListener('click', () => this.#askCancel(row()));
          cell.append(button);
        },
        show: (cell, row) => {
          const button = cell.querySelector('button');
          const forbidden = cancelForbidden(this.#who, this.#account?.real === true);
          if (button === null) return;
          button.disabled = forbidden !== undefined;
          setAttribute(button, 'title', forbidden);
          setAttribute(button, 'aria-label', `Cancel ${orderInWords(row)}`);
        },
      },
    ];
  }

  #askCancel(order: Fields): void {
    const account = this.#account;
    const market = numberOf(order.trd_market);
    if (account === undefined || market === undefined) return;
    const id = textOf(order.order_id_ex);
    const guard = this.#bracketRows.find(({ exit_order_id_ex: exit }) => exit === id && id !== '');
    this.confirmation.ask({
      title: 'Cancel this order?',
      sentences: [
        `${orderInWords(order)}, ${account.title}${account.real ? ', REAL MONEY' : ''}.`,
        'Asks the brokerage to cancel what is not filled yet. Until it answers, the order may still fill.',
        ...(guard === undefined
          ? []
          : [
              `It is the ${bracketExitName(numberOf(guard.exit_kind))} of a bracket: the bracket ends, and the position is left without it.`,
            ]),
      ],
      action: 'Cancel order',
      refuse: 'Keep it',
      again: DONE_ONCE,
      run: async (key) => {
        const which = id === '' ? { order_id: textOf(order.order_id) } : { order_id_ex: id };
        await this.api.post('api/cancel-order', { ...headerOf(account, market), ...which }, key);
        this.#poll.now();
        return `Cancel accepted: ${orderInWords(order)}. Its final state follows.`;
      },
    });
  }

  #askCancelAll(account: Account, market: number, count: number): void {
    const where = `${tradingMarketName(market)} of ${account.title}`;
    this.confirmation.ask({
      title: `Cancel all orders in ${tradingMarketName(market)}?`,
      sentences: [
        `Asks the brokerage to cancel every open order in ${where}${account.real ? ', REAL MONEY' : ''}: ${count} now, and any that come until it is carried out, whoever placed them.`,
        'Exits of brackets are cancelled too. Orders in other markets and accounts stay. Until the brokerage answers, orders may still fill.',
      ],
      action: 'Cancel all',
      refuse: 'Keep them',
      again: DONE_ONCE,
      run: async (key) => {
        await this.api.post('api/cancel-all-order', headerOf(account, market), key);
        this.#poll.now();
        return `Cancels accepted in ${where}. Final states follow.`;
      },
    });
  }
}

/** A daemon that answers for all markets of an account at once tells the same row for each. */
function once(rows: readonly Fields[], keyOf: (row: Fields) => string): readonly Fields[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}
