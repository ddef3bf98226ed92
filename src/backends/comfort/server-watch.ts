import type { Clock } from '../../contract/clock.js';
import type { QuoteStream } from '../../gateway/backend.js';
import { SilenceWatch } from './silence.js';
import type { UpstreamState } from './upstream-state.js';

export interface ServerWatchOptions {
  readonly clock: Clock;
  /** Asks the server how it is; rejected where it does not say. */
  readonly readState: () => Promise<UpstreamState>;
  /** It has said so. */
  readonly onState: (state: UpstreamState) => void | Promise<void>;
  /** It does not say so, which is for the watchdog of the connection to judge. */
  readonly onUnknown: (reason: string) => void;
  /** Streams that are to deliver. */
  readonly streams: () => readonly QuoteStream[];
  /** Holds what is subscribed to against the server's own account: callers' streams that it has forgotten. */
  readonly verify: () => Promise<readonly QuoteStream[]>;
  /** Has them announced and restored; what was missing began at `from` (epoch ms). */
  readonly onForgotten: (streams: readonly QuoteStream[], from: number) => Promise<void>;
  /** Makes the connection anew: it stands, and is no good. */
  readonly renew: (reason: string) => void;
}

/** Between two looks at how the server is; a notice of it is followed by one at once. */
const LOOK_MS = 15_000;

/**
 * Looks after a connection that stands: whether its server is still logged in, and whether the quotes that it is to push still
 * come. Where a market trades and nothing of it comes, subscriptions are compared; where that is no help, the connection is made anew.
 */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  readonly #silence: SilenceWatch;
  /** Rises with each connection: what was asked on an earlier one says nothing of this. */
  #generation = 0;
  #watching = false;
  /** A look is under way. */
  #looking = false;
  /** Another is wanted after it: of doubt, where that is `doubtful`. */
  #wanted: 'look' | 'doubtful' | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
    this.#silence = new SilenceWatch(options.clock);
  }

  /** A connection stands. */
  begin(): void {
    this.end();
    this.#watching = true;
    this.#schedule();
  }

  /** It stands no more. */
  end(): void {
    this.#generation += 1;
    this.#watching = false;
    this.#cancel();
  }

  /** A push of this symbol came. */
  heard(symbol: string): void {
    this.#silence.heard(symbol);
  }

  /** Nothing is subscribed to any more: what will be pushed is not known. */
  forget(): void {
    this.#silence.reset();
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
    const { clock, readState, onState, onUnknown, streams, renew } = this.#options;
    const generation = this.#generation;
    const isCurrent = () => this.#generation === generation;
    try {
      const state = await readState();
      if (!isCurrent()) return;
      await onState(state);
      if (!isCurrent()) return;
      const silence = this.#silence.look(streams(), state.global);
      if (silence?.lasting) {
        renew(`market ${silence.market} trades, and nothing of it came since ${new Date(silence.since).toISOString()}`);
      } else if (silence !== undefined || doubtful) {
        await this.#compare(silence?.since ?? clock.now(), isCurrent);
      }
    } catch (thrown) {
      if (isCurrent()) onUnknown(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  async #compare(since: number, isCurrent: () => boolean): Promise<void> {
    const forgotten = await this.#options.verify();
    if (forgotten.length > 0 && isCurrent()) await this.#options.onForgotten(forgotten, since);
  }

  #schedule(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => {
      this.look(false);
      this.#schedule();
    });
  }
}
