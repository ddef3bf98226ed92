import { Problem } from './api.js';
import { announce, element, setAttribute, setText } from './dom.js';
import { wordsOf } from './panel.js';

export interface Found {
  readonly symbol: string;
  readonly name: string;
}

/** After the last key: a search for each letter would be a request for each. */
const PAUSE_MS = 200;

/** A field that finds symbols as one types (a combobox, by the ARIA practices): arrows choose, Enter takes, Escape closes. */
export class SymbolSearch {
  readonly #input = element('input', {
    ...{ id: 'search', type: 'search', role: 'combobox', placeholder: 'Add a name or a code', maxlength: '60' },
    ...{ 'aria-label': 'Add a symbol to the watchlist', 'aria-controls': 'found', 'aria-expanded': 'false', 'aria-autocomplete': 'list' },
    ...{ autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' },
  });
  readonly #list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Symbols found' });
  readonly #note = element('p', { class: 'note', role: 'status' });
  readonly form = element('form', { class: 'search', role: 'search' }, this.#input, this.#list, this.#note);
  #found: readonly Found[] = [];
  #active = -1;
  #timer: number | undefined;
  #asked = 0;

  /** `add` says why not, or nothing. */
  constructor(
    readonly find: (keyword: string) => Promise<readonly Found[]>,
    readonly add: (symbol: string) => string | undefined,
  ) {
    this.#close();
    this.#input.addEventListener('input', () => this.#typed());
    this.#input.addEventListener('keydown', (event) => this.#key(event));
    this.#input.addEventListener('blur', () => this.#close());
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#take();
    });
  }

  #typed(): void {
    window.clearTimeout(this.#timer);
    setText(this.#note, '');
    const keyword = this.#input.value.trim();
    this.#asked += 1;
    if (keyword === '') this.#close();
    else this.#timer = window.setTimeout(() => void this.#search(keyword, this.#asked), PAUSE_MS);
  }

  async #search(keyword: string, asked: number): Promise<void> {
    try {
      const found = await this.find(keyword);
      // The text changed meanwhile, and was asked for since.
      if (asked !== this.#asked) return;
      this.#show(found);
      if (found.length === 0) setText(this.#note, `Nothing is called "${keyword}".`);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      setText(this.#note, wordsOf(thrown));
    }
  }

  #show(found: readonly Found[]): void {
    this.#found = found;
    this.#list.replaceChildren(
      ...found.map(({ symbol, name }, at) => {
        const option = element('li', { id: `found-${at}`, role: 'option' }, element('b', {}, symbol), ' ', name);
        // Before the field loses focus, which closes the list.
        option.addEventListener('pointerdown', (event) => {
          event.preventDefault();
          this.#active = at;
          this.#take();
        });
        return option;
      }),
    );
    this.#list.hidden = found.length === 0;
    setAttribute(this.#input, 'aria-expanded', String(found.length > 0));
    this.#activate(found.length === 0 ? -1 : 0);
  }

  #activate(at: number): void {
    this.#active = at;
    for (const [index, option] of [...this.#list.children].entries()) setAttribute(option, 'aria-selected', String(index === at));
    setAttribute(this.#input, 'aria-activedescendant', at < 0 ? undefined : `found-${at}`);
  }

  #key(event: KeyboardEvent): void {
    const count = this.#found.length;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && count > 0) {
      event.preventDefault();
      this.#activate((this.#active + step + count) % count);
    } else if (event.key === 'Escape') {
      this.#close();
    }
  }

  /** Adds what is chosen; without a choice, what was typed. */
  #take(): void {
    const symbol = this.#found[this.#active]?.symbol ?? this.#input.value.trim().toUpperCase();
    if (symbol === '') return;
    const refused = this.add(symbol);
    setText(this.#note, refused ?? '');
    if (refused !== undefined) return;
    announce(`${symbol} is watched`);
    this.#input.value = '';
    this.#asked += 1;
    window.clearTimeout(this.#timer);
    this.#close();
  }

  #close(): void {
    this.#found = [];
    this.#active = -1;
    this.#list.replaceChildren();
    this.#list.hidden = true;
    setAttribute(this.#input, 'aria-expanded', 'false');
    setAttribute(this.#input, 'aria-activedescendant', undefined);
  }
}
