/**
 * State folders of daemons that have traded for long, written by the brokerage's own records: many times faster than orders are placed.
 */
import { cpSync } from 'node:fs';
import { systemClock as clock } from '@svc-gateway/contract/clock';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { openLevelStore } from '@svc-gateway/storage';
import { IdSequence, readableId } from '../../packages/simulator/dist/brokerage/ids.js';

const DAY_MS = 86_400_000;
/** Orders of one change. */
const TOGETHER = 250;
/** Changes that are under way to the disk at once. */
const CHANGES = 8;
const US_ACCOUNT = (account) => account.environment === 'simulate' && account.markets.includes('US');
const template = { tradeMarket: 'US', code: 'NIO', secMarket: 2, side: 'buy', type: 'normal', timeInForce: 'gtc' };

/** Writes a state folder of so many working orders, all of one account in one security, far below its market. */
export async function writeWorkingOrders(stateFolder, count, price) {
  await withRecords(stateFolder, async (simulation, write) => {
    const { brokerage } = simulation;
    const account = brokerage.accounts.find(US_ACCOUNT);
    const request = { ...template, account, quantity: 1, price, extendedHours: false, remark: '', packet: undefined, fingerprint: '' };
    const placed = await brokerage.desk.place(request);
    if (placed.orderId === undefined) throw new Error(placed.message);
    while (brokerage.order(placed.orderId).status !== 'submitted') await new Promise((resolve) => setTimeout(resolve, 10));
    const order = brokerage.order(placed.orderId);
    const { records } = brokerage;
    await write(count - 1, (change) => {
      const id = records.nextId(clock.now());
      records.putOrder(change, { ...order, id, idEx: readableId(dayOf(clock.now()), id), priority: id });
    });
  });
}

/** Adds so many orders that are over to a state folder: half of them cancelled, half filled, bought and sold by turns, over the year before. */
export async function addHistory(stateFolder, count) {
  await withRecords(stateFolder, async ({ brokerage }, write) => {
    const { records } = brokerage;
    const account = brokerage.accounts.find(US_ACCOUNT);
    const [order] = records.openOrders(account);
    const [leg] = order.legs;
    const ids = new IdSequence(0n);
    const from = clock.now() - 365 * DAY_MS;
    const step = (364 * DAY_MS) / count;
    let made = 0;
    await write(count, (change) => {
      const time = Math.floor(from + made * step);
      const day = dayOf(time);
      const id = ids.next(time);
      const [isFilled, side] = [made % 2 === 1, made % 4 === 1 ? 'buy' : 'sell'];
      made += 1;
      const ended = { ...order, id, idEx: readableId(day, id), priority: id, createdAt: time, updatedAt: time + 1_000, feeReserve: 0n };
      if (!isFilled) {
        records.putOrder(change, { ...ended, status: 'cancelled_all' });
        return;
      }
      const filledValue = order.price;
      const legs = [{ ...leg, side, filledQuantity: 1n, filledValue, cashPerUnit: 0n, marginPerUnit: 0n }];
      records.putOrder(change, { ...ended, status: 'filled_all', legs, filledQuantity: 1n, filledValue });
      const fillId = ids.next(time + 1_000);
      const { accId, tradeMarket, currency } = order;
      const at = { accId, symbol: leg.symbol, time: time + 1_000 };
      const fill = { ...at, id: fillId, idEx: readableId(day, fillId), orderId: id, orderIdEx: ended.idEx, tradeMarket, side };
      records.putFill(change, { ...fill, quantity: 1n, price: order.price });
      const amount = side === 'buy' ? -filledValue : filledValue;
      const entries = [{ currency, balance: 'settled', kind: 'trade', amount, venue: 'US', day }];
      records.book(change, { ...at, id: fillId, cause: 'fill', orderId: id, remark: '', entries });
    });
  });
}

/** The folder of another daemon with the same state. */
export function copyState(from, to) {
  cpSync(from, to, { recursive: true });
}

async function withRecords(stateFolder, work) {
  const store = await openLevelStore(`${stateFolder}/database`);
  if ('kind' in store) throw new Error(store.message);
  const simulation = createSimulation({ clock, seed: 1, store, calendarMode: 'open' });
  const { records } = simulation.brokerage;
  const write = async (count, put) => {
    const underWay = [];
    for (let made = 0; made < count; ) {
      const change = records.begin();
      for (const end = Math.min(count, made + TOGETHER); made < end; made++) put(change);
      underWay.push(records.commit(change));
      if (underWay.length >= CHANGES) await underWay.shift();
    }
    await Promise.all(underWay);
  };
  await work(simulation, write);
  await simulation.close();
  await store.close();
}

function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}
