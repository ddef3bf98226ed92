import { element, setAttribute, setText } from './dom.js';

export interface Column<Row> {
  readonly title: string;
  /** CSS class of the heading and of every cell: "number" for figures, "wide" for columns that narrow screens hide. */
  readonly class?: string;
  /** The cell's text, */
  readonly text?: (row: Row) => string;
  /** what else of the cell follows from the row: a class, a title, a drawing, */
  readonly show?: (cell: HTMLTableCellElement, row: Row) => void;
  /** and what stands in it from the start; `row` gives the row as it is then. */
  readonly make?: (cell: HTMLTableCellElement, row: () => Row) => void;
  /** The cell names its row. */
  readonly heading?: boolean;
}

/** A table whose rows are kept by their keys: what has focus keeps it, and only texts that differ are written. */
export class Table<Row> {
  readonly #rows = new Map<string, { readonly line: HTMLTableRowElement; row: Row }>();
  readonly #body = element('tbody');

  constructor(
    readonly table: HTMLTableElement,
    readonly columns: readonly Column<Row>[],
    readonly keyOf: (row: Row) => string,
  ) {
    const headings = columns.map((column) => element('th', { scope: 'col', class: column.class }, column.title));
    table.append(element('thead', {}, element('tr', {}, ...headings)), this.#body);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The line of a row, where it is shown. */
  lineOf(key: string): HTMLTableRowElement | undefined {
    return this.#rows.get(key)?.line;
  }

  /** Shows these rows, in this order. */
  show(rows: readonly Row[]): void {
    const keys = new Set(rows.map(this.keyOf));
    for (const [key, { line }] of this.#rows) {
      if (keys.has(key)) continue;
      line.remove();
      this.#rows.delete(key);
    }
    rows.forEach((row, at) => {
      const line = this.refresh(row);
      if (this.#body.children[at] !== line) this.#body.insertBefore(line, this.#body.children[at] ?? null);
    });
  }

  /** Shows one row as it is now. */
  refresh(row: Row): HTMLTableRowElement {
    const key = this.keyOf(row);
    let kept = this.#rows.get(key);
    if (kept === undefined) {
      kept = { line: this.#line(key), row };
      this.#rows.set(key, kept);
      this.columns.forEach(({ make }, at) => {
        const cell = this.#cell(key, at);
        if (cell !== undefined) make?.(cell, () => this.#rows.get(key)?.row ?? row);
      });
    }
    kept.row = row;
    this.columns.forEach(({ text, show }, at) => {
      const cell = this.#cell(key, at);
      if (cell === undefined) return;
      if (text !== undefined) setText(cell, text(row));
      show?.(cell, row);
    });
    return kept.line;
  }

  #line(key: string): HTMLTableRowElement {
    const cells = this.columns.map((column) =>
      column.heading === true ? element('th', { scope: 'row', class: column.class }) : element('td', { class: column.class }),
    );
    const line = element('tr', {}, ...cells);
    setAttribute(line, 'data-key', key);
    return line;
  }

  #cell(key: string, at: number): HTMLTableCellElement | undefined {
    return this.#rows.get(key)?.line.cells[at];
  }
}
