import { create } from '@bufbuild/protobuf';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { ManualClock } from '../../contract/clock.js';
import { BasicQotSchema } from '../../contract/generated/Qot_Common_pb.js';
import { C2SSchema } from '../../contract/generated/svc/place_bracket_order_pb.js';
import { MemoryStore } from '../../storage/index.js';
import { BracketBook, type Watched } from './book.js';
import { newBracket } from './bracket.js';
import { Inquiry } from './inquiry.js';
import { type BracketsParts, LOOK_MS } from './parts.js';

it('asks no faster than it looks where a backend does not say what an issuer did, and goes by each price meanwhile', async () => {
  const clock = new ManualClock(Date.parse('2026-11-20T15:00:00Z'));
  const call = vi.fn(async () => ({ retType: -1, retMsg: 'not supported', errCode: 0 }));
  const others = { logger: pino({ enabled: false }), onStorageFailure: () => {} };
  const parts = { store: new MemoryStore(), clock, backendClock: clock, backend: { call }, ...others };
  const header = { trdEnv: 0, accID: 1n, trdMarket: 2 };
  const request = create(C2SSchema, { header, trdSide: 1, orderType: 1, code: 'NIO', secMarket: 2, qty: 10, price: 5, stopLossPrice: 4 });
  const bracket = { ...newBracket('b', null, request, 'r', clock.now()), stopHeld: true, levelsOf: '2026-11-19' };
  const watched: Watched = {
    ...{ bracket, last: 0n, busy: false, again: false, withdrawAt: 0, retryAt: 0, stopRefusals: 0, asksChanges: false, changesAt: 0 },
    ...{ priceSince: undefined, lackingSince: undefined, missingSince: undefined, stop: () => {} },
  };
  const inquiry = new Inquiry(parts as unknown as BracketsParts, new BracketBook(parts));
  const hears = async (curPrice: number) => {
    const quoted = create(BasicQotSchema, { curPrice, volume: 1n, updateTime: '2026-11-20 10:00:00' });
    expect(await inquiry.see(watched, quoted)).toBe(true);
    return [watched.last, call.mock.calls.length];
  };
  expect(await hears(5)).toEqual([5_000_000_000n, 1]);
  expect(await hears(6)).toEqual([6_000_000_000n, 1]);
  clock.advance(LOOK_MS);
  expect(await hears(7)).toEqual([7_000_000_000n, 2]);
});
