import type { Clock } from '@svc-gateway/contract/clock';
import type { QuoteStream } from '@svc-gateway/gateway/backend';
import type { Deadline } from './requests/deadline.js';
import type { UpstreamState } from './server-state.js';
import type { SubscriptionReconciler } from './subscriptions/reconciler.js';
import { type Silence, SilenceWatch } from './subscriptions/silence-watch.js';

export interface ServerWatchOptions {
  readonly clock: Clock;
  /** Reads the server's state; rejects where it does not say. */
  readonly readState: () => Promise<UpstreamState>;
  /** Called with the server's state. */
  readonly onState: (state: UpstreamState) => void | Promise<void>;
  /** Called when the server stops saying its state; the connection's own watchdog judges that. */
  readonly onUnknown: (reason: string) => void;
  readonly subscriptions: Pick<SubscriptionReconciler, 'streams' | 'verify' | 'resubscribe'>;
  /** Deadline of a request of the watch. */
  readonly soon: () => Deadline;
  /** Announces and restores streams whose pushes were missed since `from` (epoch ms). */
  readonly onMissed: (streams: readonly QuoteStream[], from: number, reason: string) => Promise<void>;
  /** Makes the connection anew: it stands, but has been of no use since `from` (epoch ms). */
  readonly renew: (reason: string, from: number) => void;
}

/** Interval of the looks at the server's state; a notice and a silence are followed by one at once. */
const LOOK_MS = 15_000;
const LOOK_MS_MIN = 1_000;

/**
 * Looks after a connection that stands: whether its server is still logged in, and whether the quotes that it is to push still
 * come. Where a market trades and nothing of it or of one kind of its streams comes, that is subscribed to again; where that is no help and all of the market is
 * silent, the connection is made anew.
 */
export class ServerWatch {
  readonly #silence: SilenceWatch;
  /** Number of the connection: answers of an earlier one are ignored. */
  #generation = 0;
  #watching = false;
  /** The last look failed. */
  #unknown = false;
  /** A check is in flight. */
  #looking = false;
  /** Check to run after the current one. */
  #wanted: 'look' | 'doubtful' | undefined;
  #cancel: () => void = () => undefined;

  constructor(private readonly options: ServerWatchOptions) {
    this.#silence = new SilenceWatch(options.clock);
  }

  /** Starts with a new connection. */
  begin(): void {
    this.end();
    this.#watching = true;
    this.#silence.reset();
    this.#schedule();
  }

  /** The connection was lost. */
  end(): void {
    this.#generation += 1;
    this.#watching = false;
    this.#cancel();
  }

  /** A push of this stream came. */
  heard(stream: QuoteStream): void {
    const cured = this.#silence.heard(stream);
    if (cured === undefined) return;
    const { market, subType, since } = cured;
    const what = subType === undefined ? `market ${market}` : `market ${market}, type ${subType},`;
    const reason = `${what} had fallen silent, and was subscribed to again`;
    this.options.onMissed(streamsOf(cured, this.options.subscriptions.streams.all), since, reason).catch((thrown: unknown) => {
      this.options.onUnknown(messageOf(thrown));
    });
  }

  /**
   * Looks now, or after the look that is under way; `doubtful`: something that the server said casts doubt on what is subscribed to.
   */
  look(doubtful: boolean): void {
    if (!this.#watching) return;
    if (this.#looking) {
      this.#wanted = doubtful ? 'doubtful' : (this.#wanted ?? 'look');
      return;
    }
    this.#looking = true;
    void this.#look(doubtful).finally(() => {
      this.#looking = false;
      const wanted = this.#wanted;
      this.#wanted = undefined;
      if (wanted !== undefined) this.look(wanted === 'doubtful');
    });
  }

  async #look(doubtful: boolean): Promise<void> {
    const { clock, readState, onState, onUnknown, subscriptions, renew } = this.options;
    const generation = this.#generation;
    const isCurrent = () => this.#generation === generation;
    try {
      const state = await readState();
      if (!isCurrent()) return;
      this.#unknown = false;
      await onState(state);
      if (!isCurrent()) return;
      const silence = this.#silence.look(subscriptions.streams.all, state.global);
      if (silence?.lasting) {
        const since = new Date(silence.since).toISOString();
        renew(`market ${silence.market} trades, and nothing of it came since ${since}`, silence.since);
      } else if (silence !== undefined || doubtful) {
        await this.#subscribeAgain(silence, clock.now(), isCurrent);
      }
    } catch (thrown) {
      if (!isCurrent() || this.#unknown) return;
      this.#unknown = true;
      onUnknown(messageOf(thrown));
    }
  }

  /** Restores what the server has forgotten by its own account, and subscribes again to the rest: of what is silent, else to all. */
  async #subscribeAgain(silence: Silence | undefined, now: number, isCurrent: () => boolean): Promise<void> {
    const { subscriptions, soon, onMissed } = this.options;
    const forgotten = await subscriptions.verify(soon());
    if (!isCurrent()) return;
    if (forgotten.length > 0) await onMissed(forgotten, silence?.since ?? now, 'the server had forgotten the subscription');
    const known = new Set(forgotten);
    const listed = subscriptions.streams.all.filter((stream) => !known.has(stream));
    const silent = silence === undefined ? listed : streamsOf(silence, listed);
    if (silent.length > 0 && isCurrent()) await subscriptions.resubscribe(silent);
  }

  #schedule(): void {
    const ms = Math.max(LOOK_MS_MIN, Math.min(LOOK_MS, this.#silence.dueMs()));
    this.#cancel = this.options.clock.after(ms, () => {
      this.look(false);
      this.#schedule();
    });
  }
}

function streamsOf({ market, subType: silent }: Silence, streams: readonly QuoteStream[]): readonly QuoteStream[] {
  return streams.filter(({ symbol, subType }) => symbol.startsWith(`${market}.`) && (silent === undefined || subType === silent));
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
