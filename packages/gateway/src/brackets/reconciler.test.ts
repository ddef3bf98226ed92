import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { BasicQotSchema, CompanyAct } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { ResponseSchema as RehabResponse } from '@svc-gateway/contract/generated/Qot_RequestRehab_pb';
import { C2SSchema } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { OrderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { BracketBook, type Watched } from './book.js';
import { type Bracket, type Exit, newBracket } from './bracket.js';
import { type BracketsDeps, LOOK_MS } from './deps.js';
import { BracketReads } from './reads.js';
import { BracketReconciler } from './reconciler.js';

/** A bracket whose stop-loss the gateway holds, with levels of the day before, and a backend that answers nothing else. */
function heldStop(changed: Partial<Bracket> = {}) {
  const clock = new ManualClock(Date.parse('2026-11-20T15:00:00Z'));
  const call = vi.fn(async () => ({ retType: -1, retMsg: 'not supported', errCode: 0 }));
  const others = { logger: pino({ enabled: false }), onStorageFailure: () => {} };
  const deps = { store: new MemoryStore(), clock, backendClock: clock, backend: { call }, ...others };
  const header = { trdEnv: 0, accID: 1n, trdMarket: 2 };
  const request = create(C2SSchema, { header, trdSide: 1, orderType: 1, code: 'NIO', secMarket: 2, qty: 10, price: 5, stopLossPrice: 4 });
  const bracket = { ...newBracket('b', null, request, 'r', clock.now()), stopHeld: true, levelsOf: '2026-11-19', ...changed };
  const watched: Watched = {
    ...{ bracket, last: 0n, busy: false, again: false, withdrawAt: 0, retryAt: 0, stopRefusals: 0, asksChanges: false, changesAt: 0 },
    ...{
      cancelAt: 0,
      confirmed: 0n,
      shown: undefined,
      lackingSince: undefined,
      spareSince: undefined,
      missingSince: undefined,
      exitsKnown: true,
      recalledAt: undefined,
      listedSince: undefined,
      surplus: new Set<string>(),
      stop: () => {},
    },
  };
  const book = new BracketBook(deps);
  const all = deps as unknown as BracketsDeps;
  return { clock, call, watched, book, reconciler: new BracketReconciler(all, book, new BracketReads(all)) };
}

it('asks no faster than it looks where a backend does not say what an issuer did, and goes by each price meanwhile', async () => {
  const { clock, call, watched, reconciler } = heldStop();
  const hears = async (curPrice: number) => {
    const quoted = create(BasicQotSchema, { curPrice, volume: 1n, updateTime: '2026-11-20 10:00:00' });
    expect(await reconciler.see(watched, quoted)).toBe(true);
    return [watched.last, call.mock.calls.length];
  };
  expect(await hears(5)).toEqual([5_000_000_000n, 1]);
  expect(await hears(6)).toEqual([6_000_000_000n, 1]);
  clock.advance(LOOK_MS);
  expect(await hears(7)).toEqual([7_000_000_000n, 2]);
});

it('never holds levels of new shares against a price of the old ones', async () => {
  const { call, watched, book, reconciler } = heldStop({ state: 'open', entryFilled: 10_000_000_000n });
  const rehabList = [
    {
      time: '2026-11-20',
      companyActFlag: BigInt(CompanyAct.CompanyAct_Join),
      joinBase: 10,
      joinErt: 1,
      ...{ fwdFactorA: 1, fwdFactorB: 0 },
    },
  ];
  call.mockResolvedValue(create(RehabResponse, { retType: 0, s2c: { rehabList } as never }) as never);
  const pairs: unknown[] = [];
  const keep = book.keep.bind(book);
  vi.spyOn(book, 'keep').mockImplementation((one, bracket) => {
    pairs.push([one.last, bracket.stopLoss]);
    return keep(one, bracket);
  });
  watched.last = 5_000_000_000n;
  await reconciler.see(watched, create(BasicQotSchema, { curPrice: 50, volume: 1n, updateTime: '2026-11-20 10:00:00' }));
  expect(pairs).toEqual([[50_000_000_000n, 40_000_000_000n]]);
});

it('goes by no price that nobody has traded at: before the opening of an ex-day one of the new shares may have the old day', async () => {
  const { watched, reconciler } = heldStop();
  const quoted = (volume: bigint) => create(BasicQotSchema, { curPrice: 2, volume, updateTime: '2026-11-19 16:00:00' });
  expect(await reconciler.see(watched, quoted(0n))).toBe(false);
  expect(watched.last).toBe(0n);
  expect(await reconciler.see(watched, quoted(1n))).toBe(true);
});

it('waits for a price of the day on which the brokerage ended its exit, also after a restart', async () => {
  const exit: Exit = {
    ...{ kind: 'stop', reached: false, qty: 10n, remark: 'x', idEx: 'x', filled: 0n, cancelling: false },
    ...{ price: 0n, trigger: 0n, moved: false },
    unconfirmed: 0n,
    told: '',
  };
  const { watched, book, reconciler } = heldStop({ state: 'open', entryIdEx: 'e', stopHeld: false, exit });
  const ended = {
    trdSide: 2,
    orderIDEx: 'x',
    orderStatus: 15,
    lastErrMsg: 'the shares are split',
    updateTime: '2026-11-20 00:00:01',
    qty: 10,
  };
  reconciler.applyOrders(watched, [create(OrderSchema, ended)], 'push');
  await book.keep(watched, watched.bracket);
  const [kept] = book.open();
  expect(kept).toMatchObject({ stopHeld: true, priceSince: '2026-11-20', exit: undefined });
  const again: Watched = { ...watched, bracket: kept as Bracket };
  const quoted = (updateTime: string) => create(BasicQotSchema, { curPrice: 5, volume: 1n, updateTime });
  expect(await reconciler.see(again, quoted('2026-11-19 16:00:00'))).toBe(false);
  expect(await reconciler.see(again, quoted('2026-11-20 09:30:00'))).toBe(true);
  expect(again.bracket.priceSince).toBeUndefined();
});
