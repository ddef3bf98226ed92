import type { Clock } from '@svc-gateway/contract/clock';
import type { S2C as GlobalState } from '@svc-gateway/contract/generated/GetGlobalState_pb';
import { QotMarketState } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { parseSymbol, type QuoteMarket } from '@svc-gateway/contract/markets';
import type { QuoteStream } from '@svc-gateway/gateway/backend';

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
/** Silence after which the connection is renewed. */
const SILENT_MS = 90_000;
/** Longest interval between resubscriptions that changed nothing. */
const SILENT_MS_MAX = 3_600_000;
/** A market that speaks so soon after it was subscribed to again does so because of that. */
const CURED_MS = 15_000;
/** Time without silence after which a market counts as sound. */
const SOUND_MS = 60_000;

/** A market that trades and says nothing, or one kind of its streams that says nothing while others speak. */
export interface Silence {
  readonly market: QuoteMarket;
  /** Qot_Common.SubType of the silent streams; undefined = all of the market. */
  readonly subType: number | undefined;
  /** Epoch ms of its last push, or since when one was to come. */
  readonly since: number;
  /** True if resubscribing did not or cannot help. */
  readonly lasting: boolean;
}

interface Activity {
  /** Since when its silence counts, of the monotonic clock: its last push, or when it began to trade or the connection to stand. */
  at: number;
  /** Epoch ms. */
  time: number;
  /** Data were received, on this connection or an earlier one. */
  spoke: boolean;
  /** When it was subscribed to again, in this silence. */
  askedAt: number | undefined;
  /** Start of the current run of data without a long silence. */
  since: number;
  /** The last long silence that ended by itself: such a market is quiet, and is left alone for longer. */
  usual: number;
  /**
   * How long it may be silent before the connection is made anew, or a kind of stream is subscribed to again: doubles each time that this
   * was of no use.
   */
  tolerance: number;
}

/** One kind of a market's streams. */
interface Kind {
  readonly market: string;
  readonly subType: number;
  readonly heard: Activity;
}

/**
 * Notices quotes that have stopped: a market that is wanted, trades and has pushed nothing for a while. That a single security is quiet
 * says nothing. Of a market that never spoke the connection is made anew only where nothing else speaks either. A kind of stream (such as
 * order books) that says nothing while others of its market speak is only subscribed to again: it may have nothing to say.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #heard = new Map<string, Activity>();
  readonly #kinds = new Map<string, Kind>();
  /** The connection has pushed something. */
  #speaks = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A push of this stream came. The silence that it ends, where to subscribe again has ended it: what came meanwhile is lost. */
  heard({ symbol, subType }: Pick<QuoteStream, 'symbol' | 'subType'>): Silence | undefined {
    const name = symbol.slice(0, symbol.indexOf('.'));
    const market = name as QuoteMarket;
    this.#speaks = true;
    const ofKind = this.#speak(this.#kindOf(name, subType).heard, DOUBTFUL_MS);
    const ofMarket = this.#speak(this.#of(name), SILENT_MS);
    if (ofMarket !== undefined) return { market, subType: undefined, since: ofMarket, lasting: false };
    return ofKind === undefined ? undefined : { market, subType, since: ofKind, lasting: false };
  }

  /** Since when (epoch ms) it was silent, where to subscribe again has ended that. @param tolerance that of what is sound. */
  #speak(known: Activity, tolerance: number): number | undefined {
    const now = this.#clock.monotonic();
    const { askedAt, time } = known;
    const silent = now - known.at;
    const isCured = askedAt !== undefined && now - askedAt <= CURED_MS;
    if (silent >= DOUBTFUL_MS && !isCured) known.usual = silent;
    if (askedAt !== undefined) known.since = now;
    else if (now - known.since >= SOUND_MS) known.tolerance = tolerance;
    Object.assign(known, { at: now, time: this.#clock.now(), spoke: true, askedAt: undefined });
    return isCured ? time : undefined;
  }

  /** A connection begins: whatever is wanted has to speak anew. */
  reset(): void {
    this.#speaks = false;
    for (const heard of this.#heard.values()) this.#begin(heard);
    for (const { heard } of this.#kinds.values()) this.#begin(heard);
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
      const lasting = silent >= toleranceOf(heard) && (heard.spoke || !this.#speaks);
      if (heard.askedAt !== undefined && !lasting) continue;
      heard.askedAt = now;
      if (lasting) heard.tolerance = Math.min(SILENT_MS_MAX, 2 * heard.tolerance);
      found = { market: name, subType: undefined, since: heard.time, lasting };
    }
    return found ?? this.#silentKind(streams, state);
  }

  /** A kind of stream that is silent while others of its market speak; subscribed to again, it is left alone for twice as long. */
  #silentKind(streams: readonly QuoteStream[], state: GlobalState): Silence | undefined {
    const now = this.#clock.monotonic();
    const wanted = new Set<Kind>();
    for (const { symbol, subType } of streams) {
      const market = parseSymbol(symbol)?.market.name;
      if (market !== undefined) wanted.add(this.#kindOf(market, subType));
    }
    let found: Silence | undefined;
    for (const kind of this.#kinds.values()) {
      const { subType, heard } = kind;
      const market = kind.market as QuoteMarket;
      if (!wanted.has(kind) || !trading.has(stateOf[market]?.(state) ?? 0)) {
        this.#begin(heard);
        continue;
      }
      const isMarketSilent = now - this.#of(market).at >= DOUBTFUL_MS;
      if (found !== undefined || isMarketSilent || now < dueAt(heard)) continue;
      heard.askedAt = now;
      heard.tolerance = Math.min(SILENT_MS_MAX, 2 * heard.tolerance);
      found = { market, subType, since: heard.time, lasting: false };
    }
    return found;
  }

  /** How long until a silence may be looked into, as far as is known now. */
  dueMs(): number {
    const now = this.#clock.monotonic();
    const due = [...this.#heard.values()].flatMap(({ at, tolerance }) => [at + DOUBTFUL_MS, at + tolerance]);
    for (const { heard } of this.#kinds.values()) due.push(dueAt(heard));
    return Math.min(...due.filter((time) => time > now)) - now;
  }

  #of(market: string): Activity {
    const known = this.#heard.get(market) ?? this.#unheard(SILENT_MS);
    this.#heard.set(market, known);
    return known;
  }

  #kindOf(market: string, subType: number): Kind {
    const key = `${market} ${subType}`;
    const known = this.#kinds.get(key) ?? { market, subType, heard: this.#unheard(DOUBTFUL_MS) };
    this.#kinds.set(key, known);
    return known;
  }

  #unheard(tolerance: number): Activity {
    const now = this.#clock.monotonic();
    return { at: now, time: this.#clock.now(), since: now, spoke: false, askedAt: undefined, usual: 0, tolerance };
  }

  #begin(heard: Activity): void {
    const now = this.#clock.monotonic();
    Object.assign(heard, { at: now, time: this.#clock.now(), since: now, askedAt: undefined });
  }
}

/** How long something may be silent: not less than twice its last long silence that ended by itself. */
function toleranceOf({ tolerance, usual }: Activity): number {
  return Math.max(tolerance, 2 * usual);
}

/** When a kind of stream that stays silent is subscribed to again. */
function dueAt(heard: Activity): number {
  return (heard.askedAt ?? heard.at) + toleranceOf(heard);
}
