import { create, type Message } from '@bufbuild/protobuf';
import { CompanyAct, RehabSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Bracket } from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { metadata, quote, subscription, trade } from '@svc-gateway/contract/operations';
import { payloadOf } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { bracketsOver, CLOSED, OPEN, shares, taking } from '../support/brackets.js';
import { type Answering, type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { refuse } from '../support/gateway.js';
import { until } from '../support/until.js';

/** Exits of brackets over splits, consolidations and bonus issues. */

/** Trd_Common.OrderType. */
const STOP = 10;

let desk: Desk;
afterEach(() => desk.close());

async function open(options: Partial<DeskOptions>): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } }, ...options });
}
const { place, bracketOf, comesTo, guarded, exitsOf, lastOf } = bracketsOver(() => desk);
const isStopOrder = (operation: Operation, request: Message) => operation === trade.placeOrder && (request as PlaceC2S).orderType === STOP;

describe('a stop-loss that the gateway holds itself', () => {
  /** Corporate actions in the world of these tests: share counts before and on the day after. */
  it.each([
    { symbol: 'HK.00700', day: Date.UTC(2021, 2, 30, 14), qty: 1_000, becomes: 2, from: 1 },
    { symbol: 'HK.01378', day: Date.UTC(2022, 1, 13, 14), qty: 5_000, becomes: 1, from: 10 },
  ])('follows its issuer’s $becomes for $from once, over a restart too', async ({ symbol, day, qty, becomes, from }) => {
    let reached = 0;
    const store = new MemoryStore();
    /** Takes no stop orders, as simulated accounts elsewhere, and has the price that a test wants. */
    const answer: Answering = async (operation, request, pass) => {
      if (isStopOrder(operation, request)) return refuse(operation, 'no stop orders');
      const answered = await pass();
      const quoted = operation === quote.getQuote ? payloadOf(quote.getQuote, answered)?.basicQotList[0] : undefined;
      if (quoted !== undefined && reached > 0) quoted.curPrice = reached;
      return answered;
    };
    await open({ answer, store, sharesStore: true, start: day });
    const stop = Math.round((await lastOf(symbol)) * 8) / 10;
    const id = await place({ ...taking, symbol, qty, stop_loss_price: stop });
    await comesTo(shares, id, ({ stopHeld, entryFilledQty }) => stopHeld && entryFilledQty === qty);
    const expected = { state: OPEN, stopLossPrice: (stop * from) / becomes, entryFilledQty: qty, closedQty: 0, exitOrderIdEx: '' };
    await until(async () => {
      desk.clock.advance(600_000);
      return (await bracketOf(shares, id)).stopLossPrice !== stop;
    }, 'the ex-day');
    expect(await bracketOf(shares, id)).toMatchObject(expected);

    const now = desk.clock.now();
    await desk.close();
    await open({ answer, store, sharesStore: true, start: now });
    for (let s = 0; s < 30; s++) {
      desk.clock.advance(1_000);
      expect(await bracketOf(shares, id)).toMatchObject(expected);
    }
    reached = expected.stopLossPrice * 0.99;
    const left = (qty * becomes) / from;
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: left });
    expect(await exitsOf(shares, id)).toMatchObject([{ qty: left, fillQty: left }]);
  });
});

describe('a stop-loss that an issue of bonus shares leaves with a broken lot', () => {
  const bonus = create(RehabSchema, {
    ...{ time: '2026-11-21', companyActFlag: BigInt(CompanyAct.CompanyAct_Bonus), bonusBase: 10, bonusErt: 1 },
    ...{ fwdFactorA: 1, fwdFactorB: 0, bwdFactorA: 1, bwdFactorB: 0 },
  });

  /** Buys 100 shares under a bracket beside 200 others, has 10 more given, and lets the price fall to the half. */
  async function fall(refusesExits = false): Promise<string> {
    let falls = false;
    const answer: Answering = async (operation, request, pass) => {
      if (isStopOrder(operation, request)) return refuse(operation, 'no stop orders');
      const isExit = operation === trade.placeOrder && (request as PlaceC2S).trdSide === 2;
      if (isExit && refusesExits) return refuse(operation, 'the account is closed for orders');
      const answered = await pass();
      const adjustments = operation === metadata.getRehab ? payloadOf(metadata.getRehab, answered) : undefined;
      if (adjustments !== undefined) adjustments.rehabList = [bonus];
      const quoted = operation === quote.getQuote ? payloadOf(quote.getQuote, answered)?.basicQotList[0] : undefined;
      if (quoted !== undefined && falls) quoted.curPrice /= 2;
      return answered;
    };
    await open({ answer, backend: { subscribe: async () => refuse(subscription.subscribe, 'no prices') } });
    await desk.payload(trade.placeOrder, { ...taking, qty: 200 });
    const id = await place({ ...taking, stop_loss_price: Math.round((await lastOf('HK.00700')) * 0.8) });
    await comesTo(shares, id, ({ stopHeld }) => stopHeld);
    await until(async () => {
      desk.clock.advance(3_600_000);
      return (await bracketOf(shares, id)).note.includes('11 for 10');
    }, 'the ex-day');
    falls = true;
    return id;
  }

  it('sells the whole lots, and states the remaining odd lot', async () => {
    const id = await fall();
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({
      state: CLOSED,
      closedQty: 100,
      note: '10 of its position stay open: exits are for whole lots of 100',
    });
    expect(await exitsOf(shares, id)).toMatchObject([{ qty: 100, fillQty: 100 }]);
  });

  it('is tried with all of them again where it was refused for something else', async () => {
    const id = await fall(true);
    await comesTo(shares, id, ({ note }) => note.includes('closed for orders'));
    const tried = () => desk.calls.flatMap(({ operation, request }) => (operation === 'place_order' ? [(request as PlaceC2S).qty] : []));
    await until(() => {
      desk.clock.advance(1_000);
      return tried().length >= 8;
    }, 'another try');
    expect(tried().slice(-4)).toEqual([110, 100, 110, 100]);
  });
});

describe('an exit that ends with a change of the shares', () => {
  it.each(['stop_loss_price', 'take_profit_price'])('(%s) leaves the position guarded at the new prices', async (level) => {
    await open({ store: new MemoryStore(), sharesStore: true, start: Date.UTC(2021, 2, 30, 14) });
    const price = Math.round((await lastOf('HK.00700')) * (level === 'stop_loss_price' ? 8 : 14)) / 10;
    const id = await place({ ...taking, qty: 1_000, [level]: price });
    await guarded(shares, id);
    const levelOf = ({ stopLossPrice, takeProfitPrice }: Bracket) => stopLossPrice + takeProfitPrice;
    await until(async () => {
      desk.clock.advance(600_000);
      const bracket = await bracketOf(shares, id);
      return bracket.state !== OPEN || levelOf(bracket) !== price;
    }, 'the ex-day');
    for (let s = 0; s < 30; s++) {
      const bracket = await bracketOf(shares, id);
      expect([bracket.state, levelOf(bracket), bracket.closedQty]).toEqual([OPEN, price / 2, 0]);
      desk.clock.advance(1_000);
    }
    // A take-profit rests at its new price; a stop-loss that the brokerage ended once is held here.
    const { exitOrderIdEx, exitQty } = await bracketOf(shares, id);
    expect([exitOrderIdEx !== '', exitQty]).toEqual(level === 'take_profit_price' ? [true, 2_000] : [false, 0]);
  });
});
