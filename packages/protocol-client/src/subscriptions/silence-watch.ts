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

/** Pushes of a market, or of one kind of its streams. */
interface Activity extends Pick<Silence, 'market' | 'subType'> {
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
  /** The last long silence that ended by itself: what is quiet is left alone for longer. */
  usual: number;
  /**
   * How long it may be silent before the connection is made anew, or a kind of stream is subscribed to again: doubles each time that this
   * was of no use.
   */
  tolerance: number;
}

/**
 * Notices quotes that have stopped: a market that is wanted, trades and has pushed nothing for a while. That a single security is quiet
 * says nothing. Of a market that never spoke the connection is made anew only where nothing else speaks either. A kind of stream (such as
 * order books) that says nothing while others of its market speak is only subscribed to again: it may have nothing to say.
 */
export class SilenceWatch {
  readonly #heard = new Map<string, Activity>();
  /** The connection has pushed something. */
  #speaks = false;

  constructor(private readonly clock: Clock) {}

  /** A push of this stream came. The silence that it ends, where to subscribe again has ended it: what came meanwhile is lost. */
  heard({ symbol, subType }: Pick<QuoteStream, 'symbol' | 'subType'>): Silence | undefined {
    const market = symbol.slice(0, symbol.indexOf('.')) as QuoteMarket;
    this.#speaks = true;
    const ofKind = this.#speak(this.#of(market, subType));
    return this.#speak(this.#of(market)) ?? ofKind;
  }

  /** The silence that ends, where to subscribe again has ended it. */
  #speak(known: Activity): Silence | undefined {
    const now = this.clock.monotonic();
    const { market, subType, askedAt, time } = known;
    const silent = now - known.at;
    const isCured = askedAt !== undefined && now - askedAt <= CURED_MS;
    if (silent >= DOUBTFUL_MS && !isCured) known.usual = silent;
    if (askedAt !== undefined) known.since = now;
    else if (now - known.since >= SOUND_MS) known.tolerance = soundTolerance(subType);
    Object.assign(known, { at: now, time: this.clock.now(), spoke: true, askedAt: undefined });
    return isCured ? { market, subType, since: time, lasting: false } : undefined;
  }

  /** A connection begins: whatever is wanted has to speak anew. */
  reset(): void {
    this.#speaks = false;
    for (const heard of this.#heard.values()) this.#begin(heard);
  }

  /** The silence that is to be looked into now, of a market before one of its kinds; undefined where there is none. */
  look(streams: readonly QuoteStream[], state: GlobalState): Silence | undefined {
    const markets = new Set<Activity>();
    const kinds = new Set<Activity>();
    for (const { symbol, subType } of streams) {
      const market = parseSymbol(symbol)?.market.name;
      if (market === undefined || !trading.has(stateOf[market]?.(state) ?? 0)) continue;
      markets.add(this.#of(market));
      kinds.add(this.#of(market, subType));
    }
    for (const heard of this.#heard.values()) if (!markets.has(heard) && !kinds.has(heard)) this.#begin(heard);
    for (const heard of [...markets, ...kinds]) {
      const lasting = this.#isDue(heard);
      if (lasting === undefined) continue;
      const { market, subType, time } = heard;
      heard.askedAt = this.clock.monotonic();
      if (lasting || subType !== undefined) heard.tolerance = Math.min(SILENT_MS_MAX, 2 * heard.tolerance);
      return { market, subType, since: time, lasting };
    }
    return undefined;
  }

  /** How long until a silence may be looked into, as far as is known now. */
  dueMs(): number {
    const now = this.clock.monotonic();
    const due = [...this.#heard.values()].flatMap((heard) =>
      heard.subType === undefined ? [heard.at + DOUBTFUL_MS, heard.at + heard.tolerance] : [dueAt(heard)],
    );
    return Math.min(...due.filter((time) => time > now)) - now;
  }

  /** Whether a silence is {@link Silence.lasting}; undefined where it is not to be looked into now. */
  #isDue(heard: Activity): boolean | undefined {
    const now = this.clock.monotonic();
    if (heard.subType !== undefined) {
      const isMarketSilent = now - this.#of(heard.market).at >= DOUBTFUL_MS;
      // Subscribed to again, it is left alone for twice as long.
      return isMarketSilent || now < dueAt(heard) ? undefined : false;
    }
    const silent = now - heard.at;
    const lasting = silent >= toleranceOf(heard) && (heard.spoke || !this.#speaks);
    return silent < DOUBTFUL_MS || (heard.askedAt !== undefined && !lasting) ? undefined : lasting;
  }

  #of(market: QuoteMarket, subType?: number): Activity {
    const key = `${market} ${subType ?? ''}`;
    const now = this.clock.monotonic();
    const begun = { at: now, time: this.clock.now(), since: now, spoke: false, askedAt: undefined, usual: 0 };
    const known = this.#heard.get(key) ?? { market, subType, ...begun, tolerance: soundTolerance(subType) };
    this.#heard.set(key, known);
    return known;
  }

  #begin(heard: Activity): void {
    const now = this.clock.monotonic();
    Object.assign(heard, { at: now, time: this.clock.now(), since: now, askedAt: undefined });
  }
}

/** Tolerance of a sound market, or of a sound kind of its streams. */
function soundTolerance(subType: number | undefined): number {
  return subType === undefined ? SILENT_MS : DOUBTFUL_MS;
}

/** How long something may be silent: not less than twice its last long silence that ended by itself. */
function toleranceOf({ tolerance, usual }: Activity): number {
  return Math.max(tolerance, 2 * usual);
}

/** When a kind of stream that stays silent is subscribed to again. */
function dueAt(heard: Activity): number {
  return (heard.askedAt ?? heard.at) + toleranceOf(heard);
}
