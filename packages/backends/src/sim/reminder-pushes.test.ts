import { ManualClock } from '@svc-gateway/contract/clock';
import type * as UpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import { quote, userState } from '@svc-gateway/contract/operations';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, test } from 'vitest';
import { CrashingStore } from '../../../../test/support/crashing-store.js';
import { FIXTURE_TIME, type Fixture, payload, security, startFixture } from '../../../../test/support/sim-backend.js';

let fixture: Fixture;
afterEach(() => fixture.backend.stop());

const Op = { add: 1, del: 2, enable: 3, disable: 4, modify: 5, delAll: 6 };
const Freq = { always: 1, daily: 2, once: 3 };
const TENCENT = security('HK.00700');

/** Lets what was written reach the store, and what waits for it run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function add(terms: { type: number; value: number; freq?: number; note?: string }, of = TENCENT): Promise<bigint> {
  const request = { security: of, op: Op.add, freq: Freq.once, ...terms };
  return (await payload(fixture.backend, userState.setPriceReminder, request)).key;
}

async function told(): Promise<UpdatePriceReminder.S2C[]> {
  await settled();
  return fixture.pushes.flatMap((push) => (push.protoId === 3019 ? [(push.message as UpdatePriceReminder.Response).s2c!] : []));
}

/** In steps so small that other answers still show what was told of. */
async function advanceUntilTold(stepMs: number): Promise<void> {
  for (let step = 0; step < 5_000 && (await told()).length === 0; step++) fixture.clock.advance(stepMs);
}

async function lastPrice(of = TENCENT): Promise<number> {
  return (await payload(fixture.backend, quote.getQuote, { securityList: [of] })).basicQotList[0]!.curPrice;
}

/** For each type: a value that holds already, and what another answer says of the figure when it is told. */
const types: readonly (readonly [number, string, number])[] = [
  [1, 'price up', 0.001],
  [2, 'price down', 1_000_000],
  [3, 'change up', -99],
  [4, 'change down', 99],
  [5, '5-minute change up', -99],
  [6, '5-minute change down', 99],
  [7, 'volume up', 10],
  [8, 'turnover up', 10],
  [9, 'turnover rate up', 0.001],
  [10, 'bid price up', 0.001],
  [11, 'ask price down', 1_000_000],
  [12, 'bid volume up', 1],
  [13, 'ask volume up', 1],
  [14, '3-minute change up', -99],
  [15, '3-minute change down', 99],
];

describe('what is watched', () => {
  test.each(types)('type %i, %s, is told with the figure that other answers show', async (type, _, value) => {
    fixture = await startFixture();
    const { backend } = fixture;
    const key = await add({ type, value, note: 'look' });
    await advanceUntilTold(20);
    const [reminder] = await told();
    const one = { securityList: [TENCENT] };
    const basic = (await payload(backend, quote.getQuote, one)).basicQotList[0]!;
    const book = await payload(backend, quote.getOrderBook, { security: TENCENT, num: 1 });
    const minutes = (await payload(backend, quote.getKline, { security: TENCENT, klType: 1, rehabType: 0, reqNum: 7 })).klList;
    const since = (count: number) => {
      const base = minutes.at(-1 - count)!.closePrice;
      return ((minutes.at(-1)!.closePrice - base) / base) * 100;
    };
    const dayChange = ((basic.curPrice - basic.lastClosePrice) / basic.lastClosePrice) * 100;
    const expected = new Map<number, number>([
      [1, basic.curPrice],
      [2, basic.curPrice],
      [3, dayChange],
      [4, dayChange],
      [5, since(5)],
      [6, since(5)],
      [7, Number(basic.volume)],
      [8, basic.turnover],
      [9, basic.turnoverRate],
      [10, book.orderBookBidList[0]!.price],
      [11, book.orderBookAskList[0]!.price],
      [12, Number(book.orderBookBidList[0]!.volume)],
      [13, Number(book.orderBookAskList[0]!.volume)],
      [14, since(3)],
      [15, since(3)],
    ]);
    expect(reminder).toMatchObject({
      security: { code: '00700' },
      key,
      type,
      setValue: value,
      note: 'look',
      marketStatus: 1,
      price: basic.curPrice,
    });
    expect(reminder!.curValue).toBeCloseTo(expected.get(type)!, 6);
    expect(reminder!.changeRate).toBeCloseTo(dayChange, 6);
    expect(reminder!.content).toMatch(/^TENCENT: .+, at (least|most) /);
  });

  test('an unmet condition pushes nothing', async () => {
    fixture = await startFixture();
    await add({ type: 1, value: 1_000_000 });
    fixture.clock.advance(60_000);
    expect(await told()).toEqual([]);
  });
});

describe('how often', () => {
  const near = async () => add({ type: 1, value: 0.001, freq: Freq.once });

  test('once: told once, then switched off', async () => {
    fixture = await startFixture();
    await near();
    fixture.clock.advance(60_000);
    await settled();
    fixture.clock.advance(86_400_000);
    expect(await told()).toHaveLength(1);
    const { priceReminderList } = await payload(fixture.backend, userState.getPriceReminder, { security: TENCENT });
    expect(priceReminderList[0]!.itemList).toMatchObject([{ isEnable: false }]);
  });

  test('once a day: on each trading day', async () => {
    fixture = await startFixture();
    await add({ type: 7, value: 10, freq: Freq.daily });
    for (let day = 0; day < 3; day++) {
      for (let step = 0; step < 4; step++) {
        fixture.clock.advance(21_600_000);
        await settled();
      }
    }
    const count = (await told()).length;
    expect(count).toBeGreaterThanOrEqual(3);
    expect(count).toBeLessThanOrEqual(4);
  });

  test('always: each time that it comes true anew, and not while it stays true', async () => {
    fixture = await startFixture();
    const price = await lastPrice();
    await add({ type: 1, value: price, freq: Freq.always });
    let crossings = 0;
    let above = false;
    for (let step = 0; step < 600; step++) {
      fixture.clock.advance(1_000);
      const now = (await lastPrice()) >= price;
      if (now && !above) crossings += 1;
      above = now;
      await settled();
    }
    const count = (await told()).length;
    expect(crossings).toBeGreaterThan(0);
    // Between two looks of the test it may cross more than once.
    expect(count).toBeGreaterThanOrEqual(crossings);
    expect(count).toBeLessThan(600);
  });
});

test('a changed or re-enabled reminder starts anew; a disabled or deleted one is silent', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  const key = await add({ type: 1, value: 0.001 });
  clock.advance(60_000);
  expect(await told()).toHaveLength(1);
  const change = (fields: object) => payload(backend, userState.setPriceReminder, { security: TENCENT, key, ...fields });
  await change({ op: Op.modify, value: 0.002, freq: Freq.always });
  await change({ op: Op.enable });
  clock.advance(60_000);
  expect(await told()).toHaveLength(2);
  // On again, with nothing changed and its condition true all the time.
  await change({ op: Op.disable });
  await change({ op: Op.enable });
  clock.advance(60_000);
  expect(await told()).toHaveLength(3);
  await change({ op: Op.disable });
  clock.advance(60_000);
  await change({ op: Op.delAll });
  clock.advance(60_000);
  expect(await told()).toHaveLength(3);
});

test('reminders survive a restart and are watched again', async () => {
  const store = new MemoryStore();
  fixture = await startFixture({ store });
  await add({ type: 1, value: 1_000_000, note: 'far' });
  await add({ type: 7, value: 10 }, security('US.AAPL'));
  await payload(fixture.backend, userState.modifyUserSecurity, { groupName: 'Tech', op: 1, securityList: [TENCENT, security('US.AAPL')] });
  await payload(fixture.backend, userState.setStockNote, { security: TENCENT, note: 'buy low' });
  const alert = { underlying: security('US.AAPL'), note: 'sweeps', orderTypeList: [1] };
  await payload(fixture.backend, userState.setOptionEventAlert, { operType: 1, alertList: [alert] });
  await fixture.backend.stop();
  fixture = await startFixture({ store, clock: new ManualClock(FIXTURE_TIME + 60_000) });
  const { backend } = fixture;
  const { priceReminderList } = await payload(backend, userState.getPriceReminder, { security: TENCENT });
  expect(priceReminderList[0]!.itemList).toMatchObject([{ note: 'far', value: 1_000_000, isEnable: true }]);
  const { staticInfoList } = await payload(backend, userState.getUserSecurity, { groupName: 'Tech' });
  expect(staticInfoList.map(({ basic }) => basic!.security!.code)).toEqual(['00700', 'AAPL']);
  const { groupList } = await payload(backend, userState.getUserSecurityGroup, { groupType: 1 });
  expect(groupList).toMatchObject([{ groupName: 'Tech', groupType: 1 }]);
  expect((await payload(backend, userState.getStockNote)).noteList).toMatchObject([{ note: 'buy low', name: 'TENCENT' }]);
  expect((await payload(backend, userState.getOptionEventAlert, { count: 10 })).alertList).toMatchObject([
    { note: 'sweeps', enable: true },
  ]);
  await advanceUntilTold(1_000);
  expect(await told()).toMatchObject([{ security: { code: 'AAPL' }, type: 7 }]);
});

test('reads do not show unflushed reminders', async () => {
  const store = new CrashingStore();
  fixture = await startFixture({ store });
  const { backend } = fixture;
  store.hold();
  const writes = [
    payload(backend, userState.modifyUserSecurity, { groupName: 'Tech', op: 1, securityList: [TENCENT] }),
    add({ type: 1, value: 1_000_000 }),
    payload(backend, userState.setOptionEventAlert, { operType: 1, alertList: [{ underlying: TENCENT }] }),
    payload(backend, userState.setStockNote, { security: TENCENT, note: 'buy low' }),
  ];
  // The first look at an instrument may take turns.
  while (store.waiting < writes.length) await settled();
  let shown = 0;
  const reads = [
    payload(backend, userState.getUserSecurityGroup, { groupType: 1 }),
    payload(backend, userState.getUserSecurity, { groupName: 'Tech' }),
    payload(backend, userState.getPriceReminder, { security: TENCENT }),
    payload(backend, userState.getOptionEventAlert, { count: 10 }),
    payload(backend, userState.getStockNote),
  ].map((read) => read.finally(() => (shown += 1)));
  await settled();
  expect(shown).toBe(0);
  await store.flush();
  await Promise.all([...writes, ...reads]);
});
