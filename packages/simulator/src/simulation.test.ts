import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { decimalToNumber, divide, parseDecimal } from '@svc-gateway/contract/decimal';
import { type S2C as PositionsS2C, C2SSchema as PositionsSchema } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { C2SSchema as PlaceSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { requireDay } from '@svc-gateway/contract/time';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getPositions } from './answers/account/get-positions.js';
import { placeOrder } from './answers/trade/orders.js';
import { createSimulation, createSimulationWithData, DataProblems } from './simulation.js';
import { nextPrice } from './world/index.js';

const NOW = Date.UTC(2026, 10, 20, 2, 30);
const HEADER = 'time,open,high,low,close,volume';
const options = () => ({ clock: new ManualClock(NOW), seed: 1, store: new MemoryStore(), calendarMode: 'calendar' as const });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bars-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('bars from the day of the start on are named as not used', async () => {
  await writeFile(join(folder, 'HK.00700.csv'), `${HEADER}\n2026-11-18,1,1,1,1,1\n2026-11-19,1,1,1,1,1\n`);
  await writeFile(join(folder, 'HK.00005.csv'), `${HEADER}\n2026-11-19,1,1,1,1,1\n2026-11-20,1,1,1,1,1\n2026-11-23,1,1,1,1,1\n`);
  const warned: string[] = [];
  const simulation = await createSimulationWithData(options(), folder, (message) => warned.push(message));
  expect(warned).toEqual([expect.stringContaining('HK.00005: 2 of 3 loaded bars are of 2026-11-20 or later and are not used')]);
  if (!(simulation instanceof DataProblems)) await simulation.close();
});

test('the same seed and clock give the same world, another seed another', () => {
  const last = (seed: number) => {
    const { market, world } = createSimulation({ ...options(), seed });
    return world
      .instruments({ market: 'US', kind: 'equity' })
      .slice(0, 20)
      .map((one) => market.quote(one).last);
  };
  expect(last(1)).toEqual(last(1));
  expect(last(1)).not.toEqual(last(2));
});

test('companies are told what the market makes of currencies and prices', () => {
  const { world, companies } = createSimulation(options());
  const [hsbc, depositary, tesla] = ['HK.00005', 'US.HSBC', 'US.TSLA'].map((symbol) => world.instrument(symbol)!);
  const figures = [hsbc, depositary].map((one) => companies.figures(one!, '2026-11-20').netAssets);
  const atReference = divide(figures[0]!, world.instrument('FX.USDHKD')!.referencePrice);
  expect(Math.abs(Number(figures[1]! - atReference) / Number(atReference))).toBeGreaterThan(1e-6);
  const news = companies.company(tesla!).news(requireDay('2024-11-20'), requireDay('2026-11-20'));
  expect(news.map(({ fact }) => fact.kind)).toContain('move');
});

test('the bars of a data folder are the symbol’s history', async () => {
  await writeFile(join(folder, 'HK.00700.csv'), `${HEADER}\n2026-11-17,500,510.5,499,505,1000000\n2026-11-18,505,507,490,491.5,2000000\n`);
  const simulation = await createSimulationWithData(options(), folder);
  if (simulation instanceof DataProblems) throw new Error(simulation.problems.join());
  const tencent = simulation.world.instrument('HK.00700')!;
  const bars = simulation.market.bars(tencent, { unit: 'day' }, { from: 0, to: Date.UTC(2026, 10, 19) });
  expect(bars.map(({ close }) => close)).toEqual([parseDecimal('505'), parseDecimal('491.5')]);
  await simulation.close();
});

test('a data folder that cannot be used says where and why', async () => {
  await writeFile(join(folder, 'HK.00700.csv'), `${HEADER}\n2026-11-17,500,510.5,499,505\n`);
  await writeFile(join(folder, 'HK.NOSUCH.csv'), HEADER);
  const refused = await createSimulationWithData(options(), folder);
  expect(refused).toBeInstanceOf(DataProblems);
  expect((refused as DataProblems).problems).toEqual([expect.stringContaining('HK.00700.csv:2'), expect.stringContaining('HK.NOSUCH.csv')]);
  const missing = await createSimulationWithData(options(), join(folder, 'nowhere'));
  expect((missing as DataProblems).problems).toEqual([expect.stringContaining('nowhere')]);
});

test('orders and positions in made-up instruments outlive a start with fewer of them', async () => {
  const store = new MemoryStore();
  const header = { trdEnv: 0, accID: 281756478396547002n, trdMarket: 1 };
  const begun = { ...options(), store };
  const before = createSimulation({ ...begun, generatedInstruments: 4 });
  const made = before.world.instrument('HK.90000')!;
  const order = { orderType: 1, trdSide: 1, code: made.code, qty: made.lotSize, timeInForce: 1 };
  const packetID = { connID: 0n, serialNo: 0 };
  const { last } = before.market.quote(made);
  for (const price of [nextPrice(made.tickTable, last, 5), nextPrice(made.tickTable, last, -20)]) {
    await placeOrder(before, create(PlaceSchema, { ...order, header, packetID, price: decimalToNumber(price) }));
  }
  begun.clock.advance(1_000);
  await before.close();
  const after = createSimulation({ ...begun, generatedInstruments: 0 });
  const { positionList } = (await getPositions(after, create(PositionsSchema, { header }))) as PositionsS2C;
  expect(positionList).toMatchObject([{ code: '90000', qty: order.qty }]);
  const account = after.brokerage.account(header.accID)!;
  expect([...after.brokerage.records.openOrders(account)]).toMatchObject([{ status: 'submitted' }]);
  await after.close();
});
