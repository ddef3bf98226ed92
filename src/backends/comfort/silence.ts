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

/** So long may a market that trades say nothing before the upstream is asked whether it is still subscribed to. */
const DOUBTFUL_MS = 60_000;
/** And so long before the connection is made anew. */
const SILENT_MS = 180_000;
/** Where that changed nothing it is done less often, up to this. */
const SILENT_MS_MAX = 3_600_000;

/** A market that trades and says nothing, though it had. */
export interface Silence {
  readonly market: QuoteMarket;
  /** Epoch ms of its last push. */
  readonly since: number;
  /** Asking was of no use, or is not enough. */
  readonly lasting: boolean;
}

interface Heard {
  /** Of the monotonic clock. */
  at: number;
  /** Epoch ms. */
  time: number;
  asked: boolean;
}

/**
 * Notices quotes that have stopped: a market that had pushed, trades and has pushed nothing for a while. That a single security
 * is quiet says nothing, and neither does a market that never spoke.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #heard = new Map<string, Heard>();
  /** How long a market may be silent before the connection is made anew: doubles each time that this was of no use. */
  #patience = SILENT_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A push of this symbol came. */
  heard(symbol: string): void {
    const market = symbol.slice(0, symbol.indexOf('.'));
    const known = this.#heard.get(market);
    if (known === undefined) {
      this.#heard.set(market, { at: this.#clock.monotonic(), time: this.#clock.now(), asked: false });
      return;
    }
    if (known.asked) this.#patience = SILENT_MS;
    known.at = this.#clock.monotonic();
    known.time = this.#clock.now();
    known.asked = false;
  }

  /** A connection begins, or ends: what it will say is not known. */
  reset(): void {
    this.#heard.clear();
  }

  /** The silence that is to be looked into now; undefined where there is none. */
  look(streams: readonly QuoteStream[], state: GlobalState): Silence | undefined {
    const now = this.#clock.monotonic();
    const wanted = new Set(streams.map(({ symbol }) => parseSymbol(symbol)?.market.name));
    for (const [market, heard] of this.#heard) {
      const name = market as QuoteMarket;
      const silent = now - heard.at;
      if (!wanted.has(name) || silent < DOUBTFUL_MS || !trading.has(stateOf[name]?.(state) ?? 0)) continue;
      const lasting = silent >= this.#patience;
      if (heard.asked && !lasting) continue;
      heard.asked = true;
      if (lasting) this.#patience = Math.min(SILENT_MS_MAX, 2 * this.#patience);
      return { market: name, since: heard.time, lasting };
    }
    return undefined;
  }
}
