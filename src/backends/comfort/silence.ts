import type { Clock } from '../../contract/clock.js';
import type { S2C as GlobalState } from '../../contract/generated/GetGlobalState_pb.js';
import { QotMarketState } from '../../contract/generated/Qot_Common_pb.js';
import { parseSymbol, type QuoteMarket } from '../../contract/markets.js';
import type { QuoteStream } from '../../gateway/backend.js';

/** The states in which a market trades without a pause. */
const trading: ReadonlySet<number> = new Set([
  QotMarketState.QotMarketState_Morning,
  QotMarketState.QotMarketState_Afternoon,
  QotMarketState.QotMarketState_FutureDayOpen,
  QotMarketState.QotMarketState_FutureOpen,
]);

const stateOf: Readonly<Partial<Record<QuoteMarket, (state: GlobalState) => number>>> = {
  HK: ({ marketHK }) => marketHK,
  US: ({ marketUS }) => marketUS,
  SH: ({ marketSH }) => marketSH,
  SZ: ({ marketSZ }) => marketSZ,
  SG: ({ marketSG }) => marketSG,
  MY: ({ marketMY }) => marketMY,
  JP: ({ marketJP }) => marketJP,
};

/** So long may a market that trades say nothing before it is subscribed to again. */
const DOUBTFUL_MS = 60_000;
/** And so long before the connection is made anew. */
const SILENT_MS = 90_000;
/** Where that changed nothing it is done less often, up to this. */
const SILENT_MS_MAX = 3_600_000;
/** A market that speaks so soon after it was subscribed to again does so because of that. */
const CURED_MS = 15_000;
/** A market that has spoken for so long without falling silent is sound. */
const SOUND_MS = 60_000;

/** A market that trades and says nothing. */
export interface Silence {
  readonly market: QuoteMarket;
  /** Epoch ms of its last push, or since when one was to come. */
  readonly since: number;
  /** To subscribe again was of no use, or is not enough. */
  readonly lasting: boolean;
}

interface Heard {
  /** Since when its silence counts, of the monotonic clock: its last push, or when it began to trade or the connection to stand. */
  at: number;
  /** Epoch ms. */
  time: number;
  /** It has spoken, on this connection or an earlier one. */
  spoke: boolean;
  /** When it was subscribed to again, in this silence. */
  askedAt: number | undefined;
  /** It speaks without a long silence since then. */
  since: number;
  /** The last long silence that ended by itself: such a market is quiet, and is left alone for longer. */
  usual: number;
  /** How long it may be silent before the connection is made anew: doubles each time that this was of no use. */
  patience: number;
}

/**
 * Notices quotes that have stopped: a market that is wanted, trades and has pushed nothing for a while. That a single security is quiet
 * says nothing. Of a market that never spoke the connection is made anew only where nothing else speaks either.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #heard = new Map<string, Heard>();
  /** The connection has pushed something. */
  #speaks = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A push of this symbol came. The silence that it ends, where to subscribe again has ended it: what came meanwhile is lost. */
  heard(symbol: string): Silence | undefined {
    const market = symbol.slice(0, symbol.indexOf('.'));
    const known = this.#of(market);
    const now = this.#clock.monotonic();
    const { askedAt, time } = known;
    const isCured = askedAt !== undefined && now - askedAt <= CURED_MS;
    if (askedAt !== undefined) {
      if (!isCured) known.usual = now - known.at;
      known.since = now;
    } else if (now - known.since >= SOUND_MS) {
      known.patience = SILENT_MS;
    }
    this.#speaks = true;
    Object.assign(known, { at: now, time: this.#clock.now(), spoke: true, askedAt: undefined });
    return isCured ? { market: market as QuoteMarket, since: time, lasting: false } : undefined;
  }

  /** A connection begins: whatever is wanted has to speak anew. */
  reset(): void {
    this.#speaks = false;
    for (const heard of this.#heard.values()) this.#begin(heard);
  }

  /** The silence that is to be looked into now; undefined where there is none. */
  look(streams: readonly QuoteStream[], state: GlobalState): Silence | undefined {
    const now = this.#clock.monotonic();
    const wanted = new Set(streams.map(({ symbol }) => parseSymbol(symbol)?.market.name));
    for (const market of wanted) if (market !== undefined) this.#of(market);
    let found: Silence | undefined;
    for (const [market, heard] of this.#heard) {
      const name = market as QuoteMarket;
      if (!wanted.has(name) || !trading.has(stateOf[name]?.(state) ?? 0)) {
        this.#begin(heard);
        continue;
      }
      const silent = now - heard.at;
      if (found !== undefined || silent < DOUBTFUL_MS) continue;
      const lasting = silent >= Math.max(heard.patience, 2 * heard.usual) && (heard.spoke || !this.#speaks);
      if (heard.askedAt !== undefined && !lasting) continue;
      heard.askedAt = now;
      if (lasting) heard.patience = Math.min(SILENT_MS_MAX, 2 * heard.patience);
      found = { market: name, since: heard.time, lasting };
    }
    return found;
  }

  /** How long until a silence may be looked into, as far as is known now. */
  dueMs(): number {
    const now = this.#clock.monotonic();
    const due = [...this.#heard.values()].flatMap(({ at, patience }) => [at + DOUBTFUL_MS, at + patience]);
    return Math.min(...due.filter((time) => time > now)) - now;
  }

  #of(market: string): Heard {
    let known = this.#heard.get(market);
    if (known === undefined) {
      const now = this.#clock.monotonic();
      const quiet = { spoke: false, askedAt: undefined, usual: 0, patience: SILENT_MS };
      known = { at: now, time: this.#clock.now(), since: now, ...quiet };
      this.#heard.set(market, known);
    }
    return known;
  }

  #begin(heard: Heard): void {
    const now = this.#clock.monotonic();
    Object.assign(heard, { at: now, time: this.#clock.now(), since: now, askedAt: undefined });
  }
}
