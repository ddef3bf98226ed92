import { symbolOfRow } from './account.js';
import { element, setAttribute, setText, trend } from './dom.js';
import { direction, figure, gain, joined, money, NONE } from './format.js';
import { type Fields, type Json, numberOf, textOf } from './json.js';
import { bracketExitName, bracketStateName, currencyName, sideName } from './names.js';
import { emptyLine, scroller } from './panel.js';
import { type Column, Table } from './table.js';

/** A table under a heading of its own, with a line in place of no rows. */
export class Part<Row> {
  readonly heading: HTMLHeadingElement;
  readonly part: HTMLElement;
  readonly #table: Table<Row>;
  readonly #empty: HTMLParagraphElement;
  readonly #scroller: HTMLElement;

  constructor(
    id: string,
    readonly title: string,
    empty: string,
    columns: readonly Column<Row>[],
    keyOf: (row: Row) => string,
  ) {
    const table = element('table');
    this.heading = element('h3', {}, title);
    this.#table = new Table(table, columns, keyOf);
    this.#empty = emptyLine(empty);
    this.#scroller = scroller(title, table);
    this.part = element('div', { id, class: 'part' }, element('div', { class: 'part-heading' }, this.heading), this.#scroller, this.#empty);
    this.wait();
  }

  show(rows: readonly Row[]): void {
    this.#table.show(rows);
    this.#scroller.hidden = rows.length === 0;
    this.#empty.hidden = rows.length > 0;
    setText(this.heading, rows.length === 0 ? this.title : `${this.title} (${rows.length})`);
  }

  /** Nothing is known yet: neither rows nor that there are none. */
  wait(): void {
    this.show([]);
    this.#empty.hidden = true;
  }
}

/** The symbol of a row and its name. */
export const securityColumn: Column<Fields> = {
  title: 'Security',
  heading: true,
  make: (cell) => cell.append(element('b'), element('span')),
  show: (cell, row) => {
    const [symbol, name] = [cell.querySelector('b'), cell.querySelector('span')];
    if (symbol !== null) setText(symbol, symbolOfRow(row));
    if (name !== null) setText(name, textOf(row.name));
  },
};

/** Columns of positions. */
export function positionColumns(): Column<Fields>[] {
  const profit = (name: string, base: string) => (cell: HTMLElement, row: Fields) => {
    const value = numberOf(row[name]);
    setText(cell, value === undefined ? NONE : gain(value));
    setAttribute(cell, 'class', joined([base, trend(direction(value))], ' '));
  };
  return [
    securityColumn,
    { title: 'Quantity', class: 'number', text: (row) => figure(numberOf(row.qty)) },
    { title: 'Can sell', class: 'number wide', text: (row) => figure(numberOf(row.can_sell_qty)) },
    { title: 'Cost', class: 'number wide', text: (row) => figure(numberOf(row.average_cost_price) ?? numberOf(row.cost_price)) },
    { title: 'Price', class: 'number', text: (row) => figure(numberOf(row.price)) },
    { title: 'Value', class: 'number wide', text: (row) => joined([money(numberOf(row.val)), currencyName(numberOf(row.currency))], ' ') },
    { title: 'Today', class: 'number wide', show: profit('td_pl_val', 'number wide') },
    { title: 'P/L', class: 'number', show: profit('unrealized_pl', 'number') },
  ];
}

/** Columns of fills. */
export function fillColumns(): Column<Fields>[] {
  return [
    { title: 'Time', text: (row) => timeText(row.create_timestamp) },
    securityColumn,
    { title: 'Side', show: showSide },
    { title: 'Quantity', class: 'number', text: (row) => figure(numberOf(row.qty)) },
    { title: 'Price', class: 'number', text: (row) => figure(numberOf(row.price)) },
  ];
}

/** Columns of brackets. */
export function bracketColumns(): Column<Fields>[] {
  return [
    securityColumn,
    { title: 'State', text: (row) => joined([bracketStateName(numberOf(row.state)), textOf(row.note)], ': ') },
    {
      title: 'Entry filled',
      class: 'number',
      text: (row) => `${figure(numberOf(row.entry_filled_qty) ?? 0)} of ${figure(numberOf(row.entry_qty))}`,
    },
    { title: 'Take-profit', class: 'number', text: (row) => figure(numberOf(row.take_profit_price)) },
    { title: 'Stop-loss', class: 'number', text: (row) => figure(numberOf(row.stop_loss_price)) },
    {
      title: 'Working exit',
      class: 'wide',
      text: ({ exit_kind: kind, stop_held: held }) =>
        held === true ? 'stop-loss, held by the gateway' : bracketExitName(numberOf(kind)) || 'none',
    },
  ];
}

/** The side in its colour. */
export function showSide(cell: HTMLElement, row: Fields): void {
  const side = numberOf(row.trd_side);
  setText(cell, sideName(side));
  // Bought: 1, and 4 to close what was sold short.
  setAttribute(cell, 'class', side === 1 || side === 4 ? 'buy' : 'sell');
}

/** "350.2 at 349": the limit, and the trigger where there is one. */
export function priceOf(row: Fields): string {
  const price = numberOf(row.price);
  const trigger = numberOf(row.aux_price);
  const limit = price === undefined || price === 0 ? 'market' : figure(price);
  return trigger === undefined || trigger === 0 ? limit : `${limit} at ${figure(trigger)}`;
}

/** "Buy 400 HK.00005 at 20". */
export function orderInWords(row: Fields): string {
  const price = priceOf(row);
  return `${sideName(numberOf(row.trd_side))} ${figure(numberOf(row.qty))} ${symbolOfRow(row)} ${price === 'market' ? 'at the market' : `at ${price}`}`;
}

/** The time of day of Unix seconds, where the reader is. */
export function timeText(seconds: Json | undefined): string {
  const at = numberOf(seconds);
  return at === undefined ? NONE : new Date(at * 1000).toLocaleTimeString();
}
