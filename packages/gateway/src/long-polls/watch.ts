import type { Message } from '@bufbuild/protobuf';
import type { S2C } from '@svc-gateway/contract/generated/svc/wait_for_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { PushEvent, QuotePush, QuoteStream, ResponseMessage, TradePush } from '../backend.js';

/** How a condition stands: true; never to come true any more; neither yet. */
export type Verdict = 'met' | 'over' | 'open';

/** The figures of an answer, as they were seen last. */
export type Seen = Partial<Pick<S2C, 'lastPrice' | 'bidPrice' | 'askPrice' | 'order' | 'marketState'>>;

/** The condition of a long poll: its events and their verdicts. */
export interface Watch {
  /** Goal in words: "HK.00700: last price at or above 400". */
  readonly goal: string;
  /** The stream that is listened to. */
  readonly stream?: QuoteStream;
  /** Account of the orders. */
  readonly accId?: bigint;
  /** True if no pushes exist, so that the state is polled. */
  readonly asksAgain: boolean;
  /** The read that tells the current state. */
  readonly question: { readonly operation: Operation; readonly request: Message };
  /** Takes in an answer to the question, or says why there is none. */
  take(response: ResponseMessage): Verdict | Rejection;
  /** Where a trade may be doubtful: asks for the quotes by which {@link Watch.isDoubtful} judges what was seen last. */
  readonly quotes?: { readonly operation: Operation; readonly request: Message } | undefined;
  /** Whether what makes it true is a trade beyond these quotes. */
  isDoubtful?(quotes: ResponseMessage): boolean;
  /** Takes in what was pushed. */
  hear(event: QuotePush | TradePush): Verdict;
  /** The last observed value. */
  seen(): Seen;
  /** The same in words: "399.8"; undefined before anything was seen. */
  status(): string | undefined;
  /** The last observation as a push, to check whether the caller may see it; undefined where the request names every subject. */
  sight(): PushEvent | undefined;
}
