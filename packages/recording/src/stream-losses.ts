import type { Clock } from '@svc-gateway/contract/clock';
import type { StreamScope, StreamsListener, StreamsLost } from '@svc-gateway/gateway';
import { streamKey } from '@svc-gateway/gateway/push';
import type { RecordedLoss } from './events.js';

type Since = Pick<StreamsLost, 'from' | 'reason'>;

/** Notes which quote streams a backend lost, and records the gap when they are back. */
export class StreamLosses implements StreamsListener {
  /** Every stream is lost since then. */
  #all: Since | undefined;
  /** Some are, by their keys. */
  readonly #some = new Map<string, Since>();

  constructor(
    private readonly clock: Clock,
    private readonly record: (loss: RecordedLoss) => void,
  ) {}

  lost({ streams, from, reason }: StreamsLost): void {
    const since = { from, reason };
    if (streams === 'all') this.#all ??= since;
    else for (const key of streams.map(streamKey)) if (!this.#some.has(key)) this.#some.set(key, since);
  }

  async restore({ streams }: StreamScope): Promise<void> {
    const to = this.clock.now();
    if (streams === 'all' && this.#all !== undefined) {
      this.record({ ...this.#all, to, events: 0 });
      this.#all = undefined;
    }
    const back = new Map<Since, string[]>();
    for (const key of streams === 'all' ? [...this.#some.keys()] : streams.map(streamKey)) {
      const since = this.#some.get(key);
      if (since === undefined) continue;
      this.#some.delete(key);
      const keys = back.get(since);
      if (keys === undefined) back.set(since, [key]);
      else keys.push(key);
    }
    for (const [since, keys] of back) this.record({ ...since, to, events: 0, streams: keys });
  }
}
