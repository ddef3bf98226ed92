import { ManualClock } from '@svc-gateway/contract/clock';
import { quote, system } from '@svc-gateway/contract/operations';
import { expect, test } from 'vitest';
import { FIXTURE_TIME, ownBackend, security } from '../../../../../test/support/sim-backend.js';

test('the state of every market follows its calendar', async () => {
  // 10:30 in Hong Kong and Shanghai, 21:30 the evening before in New York.
  const { payload } = await ownBackend({ calendarMode: 'calendar' });
  expect(await payload(system.getGlobalState)).toMatchObject({
    marketHK: 3,
    marketUS: 11,
    marketSH: 3,
    marketSZ: 3,
    qotLogined: true,
    trdLogined: true,
    serverVer: 1011,
    time: 1_795_141_800n,
    programStatus: { type: 10, strExtDesc: expect.stringContaining('simulated') },
  });
});

test.each([
  ['open', FIXTURE_TIME],
  ['calendar', Date.parse('2026-11-20T10:30:00-05:00')],
] as const)('US shares in regular hours are in the afternoon and US futures open, with the %s clock', async (calendarMode, time) => {
  const { payload } = await ownBackend({ calendarMode, clock: new ManualClock(time) });
  expect(await payload(system.getGlobalState)).toMatchObject({ marketUS: 5, marketUSFuture: 23 });
  const securityList = ['US.AAPL', 'US.ESmain'].map(security);
  const { marketInfoList } = await payload(quote.getMarketState, { securityList });
  expect(marketInfoList.map(({ marketState }) => marketState)).toEqual([5, 23]);
});

test('every field of the global state is set but the connection, which only the interface knows', async () => {
  const { payload } = await ownBackend();
  const state = await payload(system.getGlobalState);
  const fields = system.getGlobalState.messages.S2CSchema.fields.map(({ localName }) => localName);
  expect(fields.filter((name) => !Object.hasOwn(state, name))).toEqual(['connID']);
});

test('the user says what it is, and only the parts asked for', async () => {
  const { payload } = await ownBackend({ historyKlQuotaMax: 7 });
  expect(await payload(system.getUserInfo)).toMatchObject({
    nickName: 'Simulated User',
    hkQotRight: 4,
    historyKLQuota: 7,
    subQuota: 10_000,
  });
  const basic = await payload(system.getUserInfo, { flag: 1 });
  expect(Object.keys(basic)).not.toContain('hkQotRight');
  expect(basic.nickName).toBe('Simulated User');
  const rights = await payload(system.getUserInfo, { flag: 4 });
  expect(Object.keys(rights)).not.toContain('nickName');
});

test('rates follow from the date: raw and percent are the same number', async () => {
  const { payload, clock } = await ownBackend();
  const latest = await payload(system.getRiskFreeRate);
  for (const area of ['hk', 'us', 'jp'] as const) {
    expect(latest[`${area}RatePct`]).toBe(Number(latest[`${area}Rate`]) / 1e9);
    expect(latest[`${area}RatePct`]).toBeGreaterThan(0);
  }
  expect(latest.rateTime).toBe(BigInt(Date.UTC(2026, 10, 20)));
  const earlier = await payload(system.getRiskFreeRate, { rateTime: BigInt(Date.UTC(2026, 2, 3, 12)) });
  expect(earlier.rateTime).toBe(BigInt(Date.UTC(2026, 2, 3)));
  expect(earlier.hkRate).not.toBe(latest.hkRate);
  expect(await payload(system.getRiskFreeRate, { rateTime: 0n })).toMatchObject({ rateTime: 0n });
  clock.advance(200 * 86_400_000);
  expect(await payload(system.getRiskFreeRate, { rateTime: BigInt(Date.UTC(2026, 10, 20, 23)) })).toEqual(latest);
});

test('spread tables are those of the world, from 0 to without end', async () => {
  const { payload, simulation } = await ownBackend();
  const { spreadTableList } = await payload(system.getSpreadTable);
  const byCode = new Map(spreadTableList.map((table) => [table.spreadCode, table.spreadItemList]));
  expect(byCode.size).toBe(spreadTableList.length);
  for (const { tickTable } of simulation.world.instruments()) {
    const items = byCode.get(tickTable.name)!;
    expect(items.map(({ value }) => value)).toEqual(tickTable.steps.map(({ tick }) => Number(tick) / 1e9));
    expect(items[0]!.priceFrom).toBe(0);
    expect(items.at(-1)!.priceTo).toBe(0);
    for (const [index, item] of items.entries()) if (index > 0) expect(item.priceFrom).toBe(items[index - 1]!.priceTo);
  }
});

test('capabilities name per market what its instruments serve', async () => {
  const { payload } = await ownBackend({ clock: new ManualClock(0) });
  const { capabilityList, subQuota } = await payload(system.getQuoteCapability);
  const served = new Map(capabilityList.map(({ market, subTypeList }) => [market, subTypeList]));
  expect(served.get(1)).toEqual(expect.arrayContaining([1, 2, 14, 22]));
  expect(served.get(11)).not.toContain(14);
  expect(subQuota).toBe(10_000);
  expect((await payload(system.getQuoteRights)).rightList.map(({ market }) => market)).toEqual([...served.keys()]);
  expect(await payload(system.getTokenState)).toMatchObject({
    nnTokenEnable: 0,
    nnTokenBind: 0,
    mmTokenEnable: 0,
    mmTokenBind: 0,
  });
});
