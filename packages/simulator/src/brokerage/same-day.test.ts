import { create } from '@bufbuild/protobuf';
import { C2SSchema as MaxSchema } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { C2SSchema as PositionsSchema } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { expect, it } from 'vitest';
import { Fixture, ids } from '../../../../test/support/brokerage.js';
import { getMaxTrdQtys } from '../answers/account/get-max-trd-qtys.js';
import { getPositions } from '../answers/account/get-positions.js';
import { Refusal } from '../refusal.js';

const DAY = 24 * 3_600_000;
const price = 1400;

async function buy(f: Fixture, id: bigint, symbol: string, at: number, qty: number): Promise<void> {
  const [market, code = ''] = symbol.split('.');
  f.book(symbol, [], [[`${at}`, 1_000_000n]]);
  await f.place(id, { code, qty, price: at, secMarket: market === 'SH' ? 31 : 32 }, undefined, id === ids.real ? 'HKCC' : undefined);
  await f.pass();
  f.book(symbol, [], []);
}

/** Sellable quantities by the position list and by the maximum quantities. */
async function sellable(f: Fixture, id: bigint, code: string, at: number): Promise<readonly (number | undefined)[]> {
  const header = f.header(f.account(id));
  const positions = await getPositions(f.simulation, create(PositionsSchema, { header }));
  const most = await getMaxTrdQtys(f.simulation, create(MaxSchema, { header, orderType: 1, code, price: at, secMarket: 31 }));
  if (positions instanceof Refusal || most instanceof Refusal) throw new Error('refused');
  return [positions.positionList.find((one) => one.code === code)?.canSellQty, most.maxTrdQtys?.maxPositionSell];
}

it.each(['open', 'calendar'] as const)('holds mainland shares until the day after they were bought (%s)', async (mode) => {
  const f = Fixture.open({ mode });
  await buy(f, ids.cn, 'SH.600519', price, 300);
  const sell = { code: '600519', trdSide: 2, qty: 100, price, secMarket: 31 };
  expect(await sellable(f, ids.cn, '600519', price)).toEqual([0, 0]);
  expect(await f.tryPlace(ids.cn, sell)).toMatchObject({ message: expect.stringMatching(/: 0 of SH\.600519 .*; 300 were bought today/) });
  expect(f.events.findLast(({ kind }) => kind === 'fill')).toMatchObject({ canSell: 0n });

  await f.pass(3 * DAY);
  expect(await sellable(f, ids.cn, '600519', price)).toEqual([300, 300]);
  await buy(f, ids.cn, 'SH.600519', price, 100);
  expect(await sellable(f, ids.cn, '600519', price)).toEqual([300, 300]);
  expect(await f.tryPlace(ids.cn, { ...sell, qty: 400 })).toMatchObject({
    message: expect.stringContaining('300 of SH.600519 can be sold'),
  });
  const order = await f.place(ids.cn, sell);
  expect(await f.modify(ids.cn, { orderID: order, modifyOrderOp: 1, qty: 400, price })).toContain('300 of SH.600519 can be sold');
  expect(await sellable(f, ids.cn, '600519', price)).toEqual([200, 200]);
  // The fill of a sale takes from earlier holdings, not from today's.
  f.book('SH.600519', [[`${price}`, 1_000n]], []);
  await f.pass();
  expect(f.order(order).status).toBe('filled_all');
  expect(await sellable(f, ids.cn, '600519', price)).toEqual([200, 200]);
});

it('holds them after a restart, and on the way over Hong Kong', async () => {
  const f = Fixture.open();
  await buy(f, ids.cn, 'SH.600519', price, 100);
  expect(await sellable(f.restarted(), ids.cn, '600519', price)).toEqual([0, 0]);
  f.unlock();
  await buy(f, ids.real, 'SH.600519', price, 100);
  const { ledger } = f.brokerage.records;
  expect([ledger.position(ids.real, 'SH.600519')?.quantity, ledger.sellable(ids.real, 'SH.600519')]).toEqual([100n, 0n]);
});

it('lets funds of gold, bonds and foreign markets go on the day', async () => {
  const f = Fixture.open();
  await buy(f, ids.cn, 'SH.518880', 8.9, 100);
  await buy(f, ids.cn, 'SH.510300', 4.7, 100);
  expect(await sellable(f, ids.cn, '518880', 8.9)).toEqual([100, 100]);
  expect(await sellable(f, ids.cn, '510300', 4.7)).toEqual([0, 0]);
});

it('asks nothing of the kind of other markets', async () => {
  const f = Fixture.open();
  f.book('HK.00700', [], [['600', 100n]]);
  await f.place(ids.hkCash, { code: '00700', qty: 100, price: 600 });
  await f.pass();
  expect(f.brokerage.records.ledger.sellable(ids.hkCash, 'HK.00700')).toBe(100n);
});
