import { type Api, Problem } from './api.js';
import { Chart, Sparkline } from './chart.js';
import { element, setAttribute, setText, trend } from './dom.js';
import { age, changeOf, compact, figure, joined, NONE } from './format.js';
import { type Fields, numberOf, rowsOf, textOf } from './json.js';
import { isTrading, marketStateName, symbolOf } from './names.js';
import { emptyLine, Panel, scroller, wordsOf } from './panel.js';
import { Poll } from './poll.js';
import { courseOf, type Quote, Quotes } from './quotes.js';
import type { Stream } from './stream.js';
import { SymbolSearch } from './symbol-search.js';
import { Table } from './table.js';
import { isSymbol, WatchList } from './watch-list.js';

/** Symbols watched at first. */
const INITIAL = ['HK.00700', 'US.AAPL', 'US.NVDA', 'SH.600519'];
const STATES_MS = 10_000;
const BARS_MS = 60_000;
/** `kl_type` of REST: bars of five minutes; so many are eight hours. */
const FIVE_MINUTES = 6;
const BARS = 96;
/** In an open market a quote is pushed every few seconds: one that is silent for longer is shown as old. */
const OLD_MS = 60_000;
const FLASH_MS = 600;

/** The watchlist: live quotes, how old they are, and the course of the one that is chosen. */
export class QuotesPanel {
  readonly panel = new Panel('quotes', 'Watchlist');
  readonly #quotes = new Quotes();
  readonly #list = new WatchList(storage(), INITIAL);
  readonly #table: Table<Quote>;
  readonly #empty = emptyLine('Nothing is watched. Search for a name or a code above.');
  readonly #polls: readonly Poll[];
  readonly #sparklines = new Map<string, Sparkline>();
  readonly #changed = new Set<Quote>();
  /** Why something is not shown, by what it is. */
  readonly #troubles = new Map<string, string>();
  readonly #still = window.matchMedia('(prefers-reduced-motion: reduce)');
  readonly #chart = new Chart();
  readonly #chartTitle = element('h3', { id: 'chart-title' });
  readonly #chartFacts = element('p', { class: 'facts' });
  readonly #figure = element('figure', {}, element('figcaption', {}, this.#chartTitle, this.#chartFacts), this.#chart.picture);
  #chosen: string | undefined;
  #painting = false;

  constructor(
    readonly api: Api,
    readonly stream: Stream,
  ) {
    const table = element('table', { class: 'quotes' });
    this.#table = new Table(table, this.#columns(), ({ symbol }) => symbol);
    const search = new SymbolSearch(
      (keyword) => this.#search(keyword),
      (symbol) => this.#add(symbol),
    );
    this.panel.side.append(search.form);
    this.panel.body.append(scroller('Watchlist', table), this.#empty, this.#figure);
    for (const symbol of this.#list.symbols) this.#follow(symbol);
    this.#showAll();
    this.#polls = [new Poll(() => this.#askStates(), STATES_MS), new Poll(() => this.#askBars(this.#list.symbols), BARS_MS)];
    for (const poll of this.#polls) poll.now();
  }

  /** Takes in a frame of the push stream. */
  take(frame: Fields): void {
    const before = this.#quotes.get(textOf(frame.symbol))?.last;
    const quote = this.#quotes.take(frame, Date.now());
    if (quote === undefined) return;
    if (before !== undefined && quote.last !== undefined && quote.last !== before) this.#flash(quote.symbol, quote.last > before);
    this.#changed.add(quote);
    this.#paint();
  }

  /** The daemon does not send a symbol. */
  refused(symbol: string, words: string): void {
    const quote = this.#quotes.get(symbol);
    if (quote === undefined) return;
    quote.refused = words;
    this.#table.refresh(quote);
    // It was in a question about all symbols, which was refused for its sake.
    this.#troubles.delete(symbol);
    this.#showTroubles();
    this.#polls[0]?.now();
  }

  /** Ages pass without pushes, and a stream that is down makes every figure old. */
  tick(): void {
    for (const symbol of this.#list.symbols) {
      const quote = this.#quotes.get(symbol);
      if (quote !== undefined) this.#table.refresh(quote);
    }
    this.#showChart();
  }

  close(): void {
    for (const poll of this.#polls) poll.close();
  }

  #columns() {
    return [
      {
        title: 'Symbol',
        heading: true,
        make: (cell: HTMLElement, row: () => Quote) => {
          const choose = element('button', { type: 'button', class: 'symbol' }, element('b'), element('span'));
          choose.addEventListener('click', () => this.#choose(row().symbol));
          cell.append(choose);
        },
        show: (cell: HTMLElement, quote: Quote) => {
          const [symbol, name] = [cell.querySelector('b'), cell.querySelector('span')];
          if (symbol !== null) setText(symbol, quote.symbol);
          if (name !== null) setText(name, quote.name);
          setAttribute(cell.querySelector('button') ?? cell, 'aria-pressed', String(quote.symbol === this.#chosen));
          setAttribute(cell.parentElement ?? cell, 'class', this.#rowClass(quote));
        },
      },
      { title: 'Last', class: 'number last', text: ({ last, places }: Quote) => figure(last, places) },
      {
        title: 'Change',
        class: 'number',
        show: (cell: HTMLElement, { last, close, places }: Quote) => {
          const change = changeOf(last, close, places);
          setText(cell, change === undefined ? NONE : change.percent);
          setAttribute(cell, 'class', joined(['number', trend(change?.direction ?? 0)], ' '));
          setAttribute(cell, 'title', change?.amount);
        },
      },
      { title: 'Bid', class: 'number wide', text: ({ bid, places }: Quote) => figure(bid, places) },
      { title: 'Ask', class: 'number wide', text: ({ ask, places }: Quote) => figure(ask, places) },
      {
        title: 'Volume',
        class: 'number wide',
        show: (cell: HTMLElement, { volume }: Quote) => {
          setText(cell, compact(volume));
          setAttribute(cell, 'title', volume === '' ? undefined : figure(volume));
        },
      },
      {
        title: 'Eight hours',
        class: 'wide',
        make: (cell: HTMLElement, row: () => Quote) => {
          const line = new Sparkline();
          this.#sparklines.set(row().symbol, line);
          cell.append(line.picture);
        },
        show: (cell: HTMLElement, quote: Quote) => {
          this.#sparklines.get(quote.symbol)?.draw(courseOf(quote), quote.close);
          setAttribute(cell, 'class', joined(['wide', trend(changeOf(quote.last, quote.close, 0)?.direction ?? 0)], ' '));
        },
      },
      {
        title: 'Market',
        class: 'wide',
        text: ({ marketState, suspended }: Quote) => (suspended ? 'Suspended' : marketStateName(marketState) || NONE),
      },
      {
        title: 'Updated',
        class: 'number',
        show: (cell: HTMLElement, quote: Quote) => {
          setText(cell, this.#ageOf(quote));
          setAttribute(cell, 'class', quote.refused === undefined ? 'number' : 'refused');
        },
      },
      {
        title: '',
        make: (cell: HTMLElement, row: () => Quote) => {
          const { symbol } = row();
          const remove = element(
            'button',
            { type: 'button', class: 'quiet', 'aria-label': `Stop watching ${symbol}`, title: 'Remove' },
            '×',
          );
          remove.addEventListener('click', () => this.#remove(symbol));
          cell.append(remove);
        },
      },
    ];
  }

  #ageOf({ heardAt, refused }: Quote): string {
    if (refused !== undefined) return refused;
    return heardAt === undefined ? 'waiting' : age(Date.now() - heardAt);
  }

  /** "waiting" before the first push, "old" where the figures may no longer hold. */
  #rowClass({ heardAt, marketState }: Quote): string | undefined {
    if (heardAt === undefined) return 'waiting';
    const quiet = isTrading(marketState) && Date.now() - heardAt > OLD_MS;
    return quiet || this.stream.state.kind !== 'live' ? 'old' : undefined;
  }

  /** Shows what has changed with the next frame of the screen: a busy market pushes more often than a screen is drawn. */
  #paint(): void {
    if (this.#painting) return;
    this.#painting = true;
    requestAnimationFrame(() => {
      this.#painting = false;
      for (const quote of this.#changed) if (this.#list.symbols.includes(quote.symbol)) this.#table.refresh(quote);
      if ([...this.#changed].some(({ symbol }) => symbol === this.#chosen)) this.#showChart();
      this.#changed.clear();
    });
  }

  #flash(symbol: string, up: boolean): void {
    if (this.#still.matches || document.visibilityState !== 'visible') return;
    const cell = this.#table.lineOf(symbol)?.cells[1];
    const tint = getComputedStyle(document.documentElement).getPropertyValue(up ? '--up-tint' : '--down-tint');
    cell?.animate([{ backgroundColor: tint }, { backgroundColor: 'transparent' }], { duration: FLASH_MS, easing: 'ease-out' });
  }

  #add(symbol: string): string | undefined {
    if (!isSymbol(symbol)) return `"${symbol}" is no symbol: MARKET.CODE, such as HK.00700`;
    if (this.#list.symbols.includes(symbol)) return `${symbol} is watched already`;
    if (!this.#list.add(symbol)) return `at most ${WatchList.MAX} symbols are watched: remove one first`;
    this.#follow(symbol);
    this.#showAll();
    void this.#askBars([symbol]);
    this.#polls[0]?.now();
    return undefined;
  }

  #follow(symbol: string): void {
    this.#quotes.add(symbol);
    this.stream.subscribe(symbol);
  }

  #remove(symbol: string): void {
    this.stream.unsubscribe(symbol);
    this.#list.remove(symbol);
    this.#quotes.remove(symbol);
    this.#sparklines.delete(symbol);
    this.#troubles.delete(symbol);
    this.#showTroubles();
    this.#showAll();
    this.panel.side.querySelector('input')?.focus();
  }

  #choose(symbol: string): void {
    this.#chosen = symbol;
    this.tick();
  }

  #showAll(): void {
    const { symbols } = this.#list;
    if (this.#chosen === undefined || !symbols.includes(this.#chosen)) this.#chosen = symbols[0];
    this.#table.show(symbols.flatMap((symbol) => this.#quotes.get(symbol) ?? []));
    this.#empty.hidden = symbols.length > 0;
    this.#table.table.hidden = symbols.length === 0;
    this.#showChart();
  }

  #showChart(): void {
    const quote = this.#chosen === undefined ? undefined : this.#quotes.get(this.#chosen);
    this.#figure.hidden = quote === undefined;
    if (quote === undefined) return;
    const { symbol, name, last, close, bid, ask, places, bars } = quote;
    const prices = courseOf(quote);
    const change = changeOf(last, close, places);
    const range = prices.length === 0 ? [] : [Math.min(...prices), Math.max(...prices)].map((price) => figure(price, places));
    const since = bars[0] === undefined ? '' : `since ${clockTime(bars[0].time)}`;
    const facts = joined([
      figure(last, places),
      change === undefined ? '' : `${change.amount} (${change.percent}) from the close before`,
      bid === undefined && ask === undefined ? '' : `${figure(bid, places)} bid, ${figure(ask, places)} asked`,
      range.length === 0 ? '' : `${range[0]} to ${range[1]} ${since}`,
    ]);
    setText(this.#chartTitle, joined([symbol, name, marketStateName(quote.marketState)]));
    setText(this.#chartFacts, facts);
    setAttribute(this.#figure, 'class', this.#rowClass(quote) ?? trend(change?.direction ?? 0));
    this.#chart.draw(prices, close, `Course of ${symbol}: ${facts}`);
  }

  async #askStates(): Promise<void> {
    const symbols = this.#list.symbols.filter((symbol) => this.#quotes.get(symbol)?.refused === undefined);
    if (symbols.length === 0) return;
    await this.#attempt('states', async () => this.#quotes.takeStates(await this.api.post('api/market-state', { symbols })));
    this.tick();
  }

  async #askBars(symbols: readonly string[]): Promise<void> {
    for (const symbol of symbols) {
      if (this.#quotes.get(symbol)?.refused !== undefined) continue;
      const body = { symbol, kl_type: FIVE_MINUTES, rehab_type: 0, req_num: BARS };
      await this.#attempt(symbol, async () => this.#quotes.takeBars(symbol, await this.api.post('api/kline', body)));
    }
    this.tick();
  }

  /** Says why what was asked for is not shown, until it is. */
  async #attempt(what: string, ask: () => Promise<void>): Promise<void> {
    try {
      await ask();
      this.#troubles.delete(what);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      // The row of a symbol that is refused says so itself.
      if (this.#quotes.get(what)?.refused === undefined) this.#troubles.set(what, wordsOf(thrown));
    }
    this.#showTroubles();
  }

  #showTroubles(): void {
    const words = [...new Set(this.#troubles.values())];
    this.panel.trouble(words.length === 0 ? undefined : words.join(' '));
  }

  async #search(keyword: string) {
    const { search_quote_list: found } = await this.api.post('api/search-quote', { keyword, max_count: 8 });
    return rowsOf(found).map((row) => ({ symbol: symbolOf(numberOf(row.market), textOf(row.code)), name: textOf(row.name) }));
  }
}

/** "14:05", of Unix seconds, where the reader is. */
function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

/** Undefined where the browser keeps nothing for this page. */
function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
