import { quoted } from '@svc-gateway/contract/shown';
import type { Store, Transaction } from '@svc-gateway/storage';
import { Refusal } from '../refusal.js';
import type { Writes } from './writes.js';

/** Custom groups of a user, and securities that a user watches. */
const GROUPS_MAX = 100;
const SECURITIES_MAX = 2_000;

/** One row a group, by its name; what is watched without a group stands under the empty name. */
interface GroupRow {
  readonly symbols: readonly string[];
  /** Rises by the order in which groups were made. */
  readonly order: number;
}

const UNGROUPED = '';

/**
 * The securities that the login user watches, in the order in which they were added, and the custom groups they are in. Every change is on
 * disk once its promise resolves.
 */
export class Watchlists {
  readonly #writes: Writes;
  readonly #table;
  readonly #groups = new Map<string, GroupRow>();

  constructor(store: Store, writes: Writes) {
    this.#writes = writes;
    this.#table = store.table<GroupRow>('sim-watchlists');
    const rows = [...this.#table.entries()].sort(([, a], [, b]) => a.order - b.order);
    for (const [name, row] of rows) this.#groups.set(name.slice(1), row);
  }

  /** The custom groups, the oldest first. */
  get names(): readonly string[] {
    return [...this.#groups.keys()].filter((name) => name !== UNGROUPED);
  }

  /** The securities of a custom group; undefined where there is none of this name. */
  group(name: string): readonly string[] | undefined {
    return name === UNGROUPED ? undefined : this.#groups.get(name)?.symbols;
  }

  /** Everything that is watched, each once. */
  all(): readonly string[] {
    return [...new Set([...this.#groups.values()].flatMap(({ symbols }) => symbols))];
  }

  /** Adds securities to a group, which is made where there is none. */
  add(name: string, symbols: readonly string[]): Promise<void> | Refusal {
    const known = this.#groups.get(name);
    if (known === undefined && this.names.length >= GROUPS_MAX) return new Refusal(`at most ${GROUPS_MAX} custom groups`);
    const watched = new Set([...this.all(), ...symbols]);
    if (watched.size > SECURITIES_MAX) return new Refusal(`at most ${SECURITIES_MAX} securities can be watched`);
    return this.#put(new Map([[name, [...new Set([...(known?.symbols ?? []), ...symbols])]]]));
  }

  /** Takes securities out of a group; they stay watched. A group that is empty then is no more. */
  moveOut(name: string, symbols: readonly string[]): Promise<void> | Refusal {
    const known = this.group(name);
    if (known === undefined) return unknownGroup(name, this.names);
    const left = without(known, symbols);
    const elsewhere = new Set([...this.#groups].flatMap(([other, row]) => (other === name ? [] : row.symbols)));
    const homeless = known.filter((symbol) => !left.includes(symbol) && !elsewhere.has(symbol));
    const ungrouped = [...(this.#groups.get(UNGROUPED)?.symbols ?? []), ...homeless];
    return this.#put(
      new Map([
        [name, left],
        [UNGROUPED, ungrouped],
      ]),
    );
  }

  /** Stops watching securities, whichever groups they are in. */
  remove(name: string, symbols: readonly string[]): Promise<void> | Refusal {
    if (this.group(name) === undefined) return unknownGroup(name, this.names);
    return this.#put(new Map([...this.#groups].map(([each, row]) => [each, without(row.symbols, symbols)])));
  }

  #put(changed: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const changes: ((transaction: Transaction) => void)[] = [];
    for (const [name, symbols] of changed) {
      const order = this.#groups.get(name)?.order ?? Math.max(0, ...[...this.#groups.values()].map((row) => row.order)) + 1;
      const row = { symbols, order };
      if (symbols.length > 0) this.#groups.set(name, row);
      else this.#groups.delete(name);
      // No key is empty.
      changes.push((transaction) =>
        symbols.length > 0 ? transaction.put(this.#table, `g${name}`, row) : transaction.remove(this.#table, `g${name}`),
      );
    }
    return this.#writes.write((transaction) => {
      for (const change of changes) change(transaction);
    });
  }
}

function unknownGroup(name: string, names: readonly string[]): Refusal {
  return new Refusal(`unknown custom group ${quoted(name)}; there ${names.length === 0 ? 'are none' : `are ${names.join(', ')}`}`);
}

function without(symbols: readonly string[], gone: readonly string[]): readonly string[] {
  return symbols.filter((symbol) => !gone.includes(symbol));
}
