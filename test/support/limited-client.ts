import { create } from '@bufbuild/protobuf';
import { quote } from '@svc-gateway/contract/operations';
import { limitedClient, publishedRules } from '../../packages/protocol-client/src/subscriptions/live-reader.js';
import { SteppingClock, StrictUpstream } from './strict-upstream.js';

const START = Date.UTC(2026, 10, 20, 3);

/** A client that keeps the published limits, at an upstream that insists on them. */
export function limitedSetUp(wishes: ConstructorParameters<typeof StrictUpstream>[1] = {}) {
  const clock = new SteppingClock(START);
  const upstream = new StrictUpstream(clock, wishes);
  const { requests: client, subscriptions } = limitedClient(upstream, clock, publishedRules);
  const pass = (ms: number) => clock.pass(ms);
  const context = (ms = 30_000) => ({ deadline: clock.monotonic() + ms, signal: new AbortController().signal });
  return { clock, upstream, client, subscriptions, pass, context };
}

/** Present outcome of a promise. */
export function watch<T>(promise: T | Promise<T>) {
  const seen: { value?: T; error?: unknown } = {};
  Promise.resolve(promise).then(
    (value) => {
      seen.value = value;
    },
    (error) => {
      seen.error = error;
    },
  );
  return seen;
}

export const hk = (number: number) => ({ market: 1, code: String(number).padStart(5, '0') });
export const quotes = (...numbers: number[]) => create(quote.getQuote.messages.C2SSchema, { securityList: numbers.map(hk) });
export const klines = (number: number) =>
  create(quote.getKline.messages.C2SSchema, { security: hk(number), klType: 2, rehabType: 1, reqNum: 10 });
export const snapshots = (...numbers: number[]) => create(quote.getSnapshot.messages.C2SSchema, { securityList: numbers.map(hk) });
