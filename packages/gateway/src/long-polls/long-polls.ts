import type { C2S } from '@svc-gateway/contract/generated/svc/wait_for_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import { Tally } from '@svc-gateway/contract/tally';
import { describeConnection } from '../backend-connections.js';
import type { Caller, Identity } from '../identity.js';
import type { LocalCall } from '../local/index.js';
import type { Permits } from '../push/index.js';
import { LongPoll, type LongPollAnswer, type LongPollDeps } from './long-poll.js';
import type { Watch } from './watch.js';
import { watchOf } from './watch-of.js';

/** How often what nobody pushes is asked for. */
const ASK_AGAIN_MS = 5_000;
/** Long polls over all keys, as a multiple of the bound of one key. */
const KEYS_FULL = 8;

export interface LongPollsDeps extends LongPollDeps {
  /** Maximum long polls of one key at a time. */
  readonly perOwner: number;
  /** Re-checks a waiting request as if it came now. */
  readonly review: (caller: Caller, request: C2S) => Identity | Rejection;
  readonly permitsOf: (identity: Identity) => Permits;
  /** Sees to it that {@link LongPolls.review} is called when the caller's key expires. */
  readonly watchExpiry: (identity: Identity) => void;
}

/**
 * The calls that wait for a condition. One ends because the condition is met or cannot be any more, the time is up, the caller is gone,
 * its key is no good any more, the backend is lost, or the daemon stops.
 */
export class LongPolls {
  readonly #waits = new Set<LongPoll>();
  readonly #byOwner = new Tally<string>();
  readonly #stopListening: () => void;
  #count = 0;
  #cancelAsking: (() => void) | undefined;
  #stopped = false;

  constructor(private readonly deps: LongPollsDeps) {
    this.#stopListening = deps.backend.onLifecycle(() => this.#checkBackend());
  }

  /** Calls that wait now. */
  get size(): number {
    return this.#waits.size;
  }

  /** Answers `wait_for`. */
  async answer(call: LocalCall): Promise<LongPollAnswer> {
    const request = call.request as C2S;
    const watch = watchOf(request);
    if (watch instanceof Rejection) return watch;
    const refused = this.#refuse(call.identity, watch);
    if (refused !== undefined) return refused;
    this.#count += 1;
    const wait = new LongPoll(this.deps, call, watch, this.#count);
    const { identity } = call;
    this.#waits.add(wait);
    this.#byOwner.add(identity.owner);
    this.deps.watchExpiry(identity);
    try {
      return await wait.run(1000 * request.timeout, () => {
        if (watch.asksAgain) this.#askAgainLater();
      });
    } finally {
      this.#waits.delete(wait);
      this.#byOwner.add(identity.owner, -1);
      if (this.#waits.size === 0) this.#cancelAsking?.();
    }
  }

  /** Ends the long polls that changed or expired keys no longer allow. */
  review(): void {
    for (const wait of [...this.#waits]) {
      const { call, watch } = wait;
      const reviewed = this.deps.review(call.caller, call.request as C2S);
      if (reviewed instanceof Rejection) {
        wait.end(reviewed);
        continue;
      }
      const sight = watch.sight();
      if (sight !== undefined && !this.deps.permitsOf(reviewed)(sight))
        wait.end(new Rejection('limit.symbol', `this key may no longer see what it waits for: ${watch.goal}`));
    }
  }

  /** Ends every wait, and lets none begin. */
  stop(): void {
    this.#stopped = true;
    this.#stopListening();
    for (const wait of this.#waits) wait.end(stopping(wait.watch));
  }

  #refuse({ key, owner }: Identity, watch: Watch): Rejection | undefined {
    if (this.#stopped) return stopping(watch);
    const { perOwner } = this.deps;
    const own = this.#byOwner.of(owner);
    if (own >= perOwner) {
      const who = key === undefined ? 'callers without a key have' : `key "${key.id}" has`;
      return new Rejection('limit.waits', `${who} reached the limit of ${own} calls that wait`, { retryAfterSeconds: 1 });
    }
    if (this.#waits.size >= KEYS_FULL * perOwner)
      return new Rejection('limit.waits', `the daemon has reached its limit of ${this.#waits.size} calls that wait`, {
        retryAfterSeconds: 1,
      });
    return this.#unready(watch);
  }

  #unready({ question, goal }: Watch): Rejection | undefined {
    const awaited = this.deps.backend.readiness(question.operation, question.request);
    if (awaited === undefined) return undefined;
    return new Rejection('backend.not_ready', `${describeConnection(awaited)}; not waiting for ${goal}`, { retryAfterSeconds: 1 });
  }

  /** Ends the waits that the backend can tell nothing of any more. */
  #checkBackend(): void {
    for (const wait of this.#waits) {
      const unready = this.#unready(wait.watch);
      if (unready !== undefined) wait.end(unready);
    }
  }

  /** All who wait for what nobody pushes ask at the same moment, so that their questions can travel together. */
  #askAgainLater(): void {
    if (this.#cancelAsking !== undefined) return;
    const cancel = this.deps.backendClock.after(ASK_AGAIN_MS, () => {
      this.#cancelAsking = undefined;
      const asking = [...this.#waits].filter(({ watch }) => watch.asksAgain);
      for (const wait of asking) wait.ask();
      if (asking.length > 0) this.#askAgainLater();
    });
    this.#cancelAsking = () => {
      cancel();
      this.#cancelAsking = undefined;
    };
  }
}

function stopping({ goal }: Watch): Rejection {
  return new Rejection('daemon.stopping', `the daemon is stopping and waits no longer for ${goal}`);
}
