/** Rows that come in lists and in pushes, which overtake each other: of each the newest is kept, whichever way it came. */
export class Merged<Row> {
  readonly #rows = new Map<string, { readonly row: Row; readonly pushedAt: number }>();

  /** `versionOf`: when a row was changed last, by the clock of whoever sends it. */
  constructor(
    readonly keyOf: (row: Row) => string,
    readonly versionOf: (row: Row) => number,
  ) {}

  /** A whole list that was asked for at `askedAt`: what it lacks is gone, unless it was pushed after the question. */
  listed(rows: readonly Row[], askedAt: number): void {
    const keys = new Set(rows.map(this.keyOf));
    for (const [key, { pushedAt }] of this.#rows) if (!keys.has(key) && pushedAt < askedAt) this.#rows.delete(key);
    for (const row of rows) this.#keep(row, this.#rows.get(this.keyOf(row))?.pushedAt ?? 0);
  }

  /** A row that was pushed at `at`, by the clock of `askedAt`. */
  pushed(row: Row, at: number): void {
    this.#keep(row, at);
  }

  /** The rows, newest change first. */
  rows(): readonly Row[] {
    return [...this.#rows.values()].map(({ row }) => row).sort((a, b) => this.versionOf(b) - this.versionOf(a));
  }

  clear(): void {
    this.#rows.clear();
  }

  #keep(row: Row, pushedAt: number): void {
    const key = this.keyOf(row);
    const kept = this.#rows.get(key);
    const newest = kept === undefined || this.versionOf(row) >= this.versionOf(kept.row) ? row : kept.row;
    this.#rows.set(key, { row: newest, pushedAt });
  }
}
