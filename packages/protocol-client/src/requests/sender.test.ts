import { create } from '@bufbuild/protobuf';
import { RetType } from '@svc-gateway/contract/generated/Common_pb';
import { quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import {
  BackendLost,
  BackendRefused,
  BackendTimeout,
  BackendUnsent,
  type CallContext,
  LateRejection,
  type ResponseMessage,
} from '@svc-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { SteppingClock } from '../../../../test/support/strict-upstream.js';
import type { Upstream } from '../connection/upstream.js';
import { RateLimiter } from './rate-limiter.js';
import { settle } from './refusals.js';
import { Sender } from './sender.js';

const { placeOrder } = trade;
const TOO_OFTEN = 'PlaceOrder is too frequent, request failed, no more than 15 times every 30 seconds.';
const TRIES_MAX = 5;

/** Outcome of an attempt: an answer, or a reason why there is none. */
type Attempt = 'taken' | 'too often' | number | Error;

const lastAttempts = {
  'that was taken': 'taken',
  'that did not leave': new BackendUnsent('there is no connection to the server'),
  'whose connection was lost': new BackendLost('the connection was lost'),
  'that was not answered': new BackendTimeout('no answer in time'),
} as const;

/** Values of `retType` that say that nobody knows, and as what they are thrown. */
const noAnswers = [
  [RetType.RetType_TimeOut, BackendTimeout],
  [RetType.RetType_DisConnect, BackendLost],
  [RetType.RetType_Unknown, BackendLost],
] as const;

/** Places an order whose attempts have these outcomes, one after another; resolves to the caller's answer. */
async function hearing(attempts: readonly Attempt[], waitMs = 60_000, lateRejection?: CallContext['lateRejection']) {
  const clock = new SteppingClock(Date.UTC(2026, 10, 20, 3));
  const left = [...attempts];
  const upstream: Upstream = {
    request: async ({ messages }, _c2s, options) => {
      const kept = options.lateRejection?.();
      if (kept !== undefined) throw kept;
      const attempt = left.shift();
      if (attempt === undefined) throw new Error('one attempt too many');
      if (attempt instanceof Error) throw attempt;
      const retType = attempt === 'taken' ? 0 : attempt === 'too often' ? -1 : attempt;
      const said = { retType, retMsg: attempt === 'taken' ? '' : TOO_OFTEN };
      return create(messages.ResponseSchema, said as Record<string, unknown>) as ResponseMessage;
    },
    requestBytes: () => Promise.reject(new Error('no bytes')),
  };
  const sender = new Sender(upstream, clock, new RateLimiter(clock, 'at once'));
  const c2s = create(placeOrder.messages.C2SSchema, { header: { accID: 1n } } as Record<string, unknown>);
  const sending = { priority: 'order', deadline: clock.monotonic() + waitMs, signal: new AbortController().signal, lateRejection } as const;
  const heard = sender
    .ask(placeOrder, c2s, sending)
    .then((outcome) => settle(outcome, true))
    .catch((thrown: unknown) => thrown);
  await clock.pass(waitMs);
  return { heard: await heard, left: left.length };
}

function expectTooOften(heard: unknown): void {
  expect(heard).toBeInstanceOf(BackendRefused);
  const { code, message, retryAfterSeconds } = heard as BackendRefused;
  expect(code).toBe('backend.rate');
  expect(message).toContain(TOO_OFTEN);
  expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
}

describe('an order that the server calls too frequent', () => {
  it.each([1, 2, 3, 4])('is placed if accepted after %i such refusals', async (refusals) => {
    const { heard } = await hearing([...Array<Attempt>(refusals).fill('too often'), 'taken']);
    expect(heard).toMatchObject({ retType: 0 });
  });

  it.each(noAnswers)('is not sent once more where its retType says that nobody knows', async (retType, failure) => {
    const { heard, left } = await hearing([retType, 'taken']);
    expect(heard).toBeInstanceOf(failure);
    expect(left).toBe(1);
  });

  it('asks once more, each time it may leave, whether it still may', async () => {
    const halted = new LateRejection(new Rejection('trading.halted', 'trading is halted'));
    let asked = 0;
    const { heard, left } = await hearing(['too often', 'taken'], 60_000, () => (++asked > 1 ? halted : undefined));
    expect(heard).toBe(halted);
    expect([asked, left]).toEqual([2, 1]);
  });

  it('five times is refused', async () => {
    const { heard, left } = await hearing(Array<Attempt>(TRIES_MAX + 1).fill('too often'));
    expectTooOften(heard);
    expect(left).toBe(1);
  });

  it.each([1, 2, 3, 4])('is refused after %i such refusals, and not reported as unsent', async (refusals) => {
    const { heard } = await hearing([...Array<Attempt>(refusals).fill('too often'), lastAttempts['that did not leave']]);
    expectTooOften(heard);
  });

  it('is refused in the server’s words if its caller leaves before the next turn', async () => {
    const { heard, left } = await hearing(['too often', 'taken'], 120);
    expectTooOften(heard);
    expect(left).toBe(1);
  });

  it.each(['whose connection was lost', 'that was not answered'] as const)('has an open outcome if a retry %s', async (last) => {
    const { heard } = await hearing(['too often', lastAttempts[last]]);
    expect(heard).toBe(lastAttempts[last]);
  });
});

it.each(Object.entries(lastAttempts))('an order with one attempt %s is answered as that was', async (_, attempt) => {
  const { heard } = await hearing([attempt]);
  if (attempt === 'taken') expect(heard).toMatchObject({ retType: 0 });
  else expect(heard).toBe(attempt);
});

describe('a server that lacks something', () => {
  const HK = 1;
  const US = 11;
  const { getSnapshot } = quote;

  /** Reads of one market, and of which of them the server heard. */
  function reading(answer: (market: number) => ResponseMessage | Error) {
    const clock = new SteppingClock(Date.UTC(2026, 10, 20, 3));
    const heard: number[] = [];
    const upstream: Upstream = {
      request: async (_asked, c2s) => {
        const [security] = (c2s as unknown as { securityList: { market: number }[] }).securityList;
        heard.push(security?.market ?? 0);
        const answered = answer(security?.market ?? 0);
        if (!(answered instanceof Error)) return answered;
        await new Promise<void>((resolve) => clock.after(12_000, resolve));
        throw answered;
      },
      requestBytes: () => Promise.reject(new Error('no bytes')),
    };
    const sender = new Sender(upstream, clock, new RateLimiter(clock, 'when refused'));
    const read = async (market: number, passMs = 13_000) => {
      const c2s = create(getSnapshot.messages.C2SSchema, { securityList: [{ market, code: 'X' }] });
      const sending = { priority: 'read', deadline: clock.monotonic() + 30_000, signal: new AbortController().signal } as const;
      const outcome = sender
        .ask(getSnapshot, c2s, sending)
        .then((outcome) => settle(outcome))
        .catch((thrown: unknown) => thrown);
      await clock.pass(passMs);
      return outcome;
    };
    return { sender, read, heard };
  }

  const response = (fields: object) => create(getSnapshot.messages.ResponseSchema, fields) as ResponseMessage;

  it('in one market only is still asked about the other markets', async () => {
    const { read, heard } = reading((market) =>
      market === US ? new BackendTimeout('no answer in time') : response({ retType: 0, s2c: {} }),
    );
    for (let times = 0; times < 3; times += 1) expect(await read(US)).toBeInstanceOf(BackendTimeout);
    expect(await read(US, 10)).toMatchObject({ code: 'backend.unavailable' });
    expect(await read(HK, 10)).toMatchObject({ retType: 0 });
    expect(heard).toEqual([US, US, US, HK]);
  });

  it('is not asked again on the same connection for an operation that it does not know', async () => {
    const { sender, read, heard } = reading(() => response({ retType: -1, retMsg: '未知的协议ID' }));
    for (let times = 0; times < 3; times += 1) expect(await read(HK)).toMatchObject({ code: 'backend.unsupported' });
    expect(heard).toEqual([HK]);
    sender.reset();
    await read(HK);
    expect(heard).toEqual([HK, HK]);
  });
});
