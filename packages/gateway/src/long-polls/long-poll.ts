import { create } from '@bufbuild/protobuf';
import { CONFIRMED_WITHIN_MS } from '@svc-gateway/contract/doubtful-print';
import { S2CSchema } from '@svc-gateway/contract/generated/svc/wait_for_pb';
import { subscription } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { QuotePush, ResponseMessage, TradePush } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import { rejectFailure, rejectRefused } from '../call-failures.js';
import type { GatewayBase } from '../gateway-base.js';
import type { LocalCall } from '../local/index.js';
import { type PushHub, streamKey } from '../push/index.js';
import { failure, RET_SUCCEED, success } from '../responses.js';
import type { Verdict, Watch } from './watch.js';

export type LongPollAnswer = ResponseMessage | Rejection;

export interface LongPollDeps extends GatewayBase {
  readonly hub: PushHub;
}

/** svc.wait_for.S2C.outcome. */
const outcomes = { met: 1, timedOut: 2, over: 3 } as const;

/** One long poll, from its subscription to the release of it. */
export class LongPoll {
  /** Owner of the subscriptions. */
  readonly #owner: string;
  readonly #came: number;
  readonly #answer: Promise<LongPollAnswer>;
  /** Answers it; what it is answered with first counts. */
  readonly end: (answer: LongPollAnswer) => void;
  readonly #fail: (defect: unknown) => void;
  #asking = false;
  #heard = false;
  /** A doubtful trade has met the condition, and is looked at once more. */
  #doubting = false;

  constructor(
    private readonly deps: LongPollDeps,
    readonly call: LocalCall,
    readonly watch: Watch,
    /** Tells it from other waits. */
    number: number,
  ) {
    this.#owner = `wait:${number}`;
    this.#came = deps.backendClock.monotonic();
    let end: (answer: LongPollAnswer) => void = () => undefined;
    let fail: (defect: unknown) => void = () => undefined;
    this.#answer = new Promise((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    this.end = end;
    this.#fail = fail;
  }

  /** The answer, after `timeoutMs` at the latest, counted from construction. `onWaiting` is called once it is clear that it has to wait. */
  async run(timeoutMs: number, onWaiting: () => void): Promise<LongPollAnswer> {
    const { hub, backendClock } = this.deps;
    const { caller, context } = this.call;
    const stopObserving = this.#observe();
    const giveUp = () => this.end(this.#says('timedOut'));
    context.signal.addEventListener('abort', giveUp, { once: true });
    let cancelTimer: (() => void) | undefined;
    try {
      const refused = await this.#subscribe();
      if (refused !== undefined) return refused;
      await this.#look();
      const left = timeoutMs - this.#waitedMs();
      if (left <= 0) giveUp();
      else cancelTimer = backendClock.after(left, giveUp);
      onWaiting();
      caller.onWaiting?.(() => this.#status(), timeoutMs);
      return await this.#answer;
    } finally {
      cancelTimer?.();
      context.signal.removeEventListener('abort', giveUp);
      stopObserving?.();
      void hub.subscriptions.unsubscribeAll(this.#owner);
      void hub.accounts.unsubscribeAll(this.#owner);
    }
  }

  /** Asks the backend how things stand. */
  ask(): void {
    this.#look().catch(this.#fail);
  }

  #observe(): (() => void) | undefined {
    const { stream, accId, goal } = this.watch;
    const observed = stream === undefined ? accId : streamKey(stream);
    if (observed === undefined) return undefined;
    return this.deps.hub.observers.add(observed, {
      event: (event) => this.#hear(event),
      lost: (reason) => this.end(new Rejection('backend.not_ready', `${reason} while waiting for ${goal}`, { retryAfterSeconds: 1 })),
    });
  }

  #hear(event: QuotePush | TradePush): void {
    this.#heard = true;
    this.#judge(this.watch.hear(event));
  }

  async #look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const answer = await this.#question();
      if (answer instanceof Rejection) this.end(answer);
      else if (answer.retType !== RET_SUCCEED) this.end(failure(subscription.waitFor, answer.retMsg, answer.errCode));
      // A push received meanwhile is newer than the answer.
      else if (!this.#heard) this.#judge(this.watch.take(answer));
    } finally {
      this.#asking = false;
    }
  }

  async #question({ operation, request } = this.watch.question): Promise<LongPollAnswer> {
    try {
      return await this.deps.backend.call(operation, request, this.call.context);
    } catch (thrown) {
      if (thrown instanceof BackendFailure) return rejectFailure(thrown, 'read');
      throw thrown;
    }
  }

  #judge(verdict: Verdict | Rejection): void {
    if (verdict instanceof Rejection) this.end(verdict);
    else if (verdict === 'met' && this.watch.quotes !== undefined && !this.#doubting) this.#confirm().catch(this.#fail);
    else if (verdict !== 'open') this.end(this.#says(verdict));
  }

  /** Ends it, unless a trade far from the quotes alone has met the condition: see `contract/doubtful-print.ts`. A second one comes in meanwhile. */
  async #confirm(): Promise<void> {
    this.#doubting = true;
    const met = this.#says('met');
    if (!(await this.#isDoubtful())) return this.end(met);
    await new Promise<void>((resolve) => this.deps.backendClock.after(CONFIRMED_WITHIN_MS, resolve));
    if (!(await this.#isDoubtful())) return this.end(met);
    this.#doubting = false;
  }

  /** Quotes that cannot be had cast no doubt. */
  async #isDoubtful(): Promise<boolean> {
    const { quotes } = this.watch;
    const answer = quotes === undefined ? undefined : await this.#question(quotes);
    if (answer === undefined || answer instanceof Rejection || answer.retType !== RET_SUCCEED) return false;
    return this.watch.isDoubtful?.(answer) === true;
  }

  #says(outcome: keyof typeof outcomes): ResponseMessage {
    const s2c = create(S2CSchema, {
      outcome: outcomes[outcome],
      time: BigInt(this.deps.clock.now()),
      waitedMs: BigInt(Math.round(this.#waitedMs())),
      ...this.watch.seen(),
    });
    return success(subscription.waitFor, s2c);
  }

  #waitedMs(): number {
    return this.deps.backendClock.monotonic() - this.#came;
  }

  #status(): string {
    const status = this.watch.status();
    return `waiting for ${this.watch.goal}${status === undefined ? '' : `; now ${status}`}`;
  }

  /** Subscribes to what has to be heard; the refusal, where there is one. */
  async #subscribe(): Promise<LongPollAnswer | undefined> {
    const { hub } = this.deps;
    const { stream, accId } = this.watch;
    if (stream !== undefined) {
      const { key, owner } = this.call.identity;
      const holder = key === undefined ? undefined : owner;
      const outcome = await hub.subscribe(this.#owner, [stream], { push: true, first: false, holder });
      if (outcome.ok) return undefined;
      if (outcome.cause !== undefined) return rejectRefused(outcome.cause);
      if (outcome.reason === 'quota') return new Rejection('limit.subscriptions', outcome.message);
      return failure(subscription.waitFor, outcome.message, outcome.errCode);
    }
    if (accId === undefined) return undefined;
    const outcome = await hub.subscribeAccounts(this.#owner, [accId]);
    return outcome.ok ? undefined : failure(subscription.waitFor, outcome.message, outcome.errCode);
  }
}
