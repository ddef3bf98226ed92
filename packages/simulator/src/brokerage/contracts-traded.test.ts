import { create } from '@bufbuild/protobuf';
import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import type { Funds } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as FundsSchema } from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import { C2SSchema as MaxQtysSchema } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { describe, expect, it } from 'vitest';
import { collected, dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { getFunds } from '../answers/account/get-funds.js';
import { getMaxTrdQtys } from '../answers/account/get-max-trd-qtys.js';
import type { CorporateActions } from '../companies/corporate-actions.js';
import { Refusal } from '../refusal.js';
import type { Option, Warrant } from '../world/instrument.js';
import { totalFees } from './fees.js';
import { optionMargin } from './option-margin.js';

const DAY = 24 * 3_600_000;
const AAPL = 'US.AAPL';
const CALL = 'AAPL261127C270000';
const PUT = 'AAPL261127P270000';
const [BUY, SELL, SELL_SHORT, BUY_BACK] = [1, 2, 3, 4];

/** A brokerage where Apple costs 270. */
function opened(corporateActions?: CorporateActions): Fixture {
  const f = Fixture.open(corporateActions === undefined ? {} : { corporateActions });
  f.trade(AAPL, '270', 1n, 1);
  return f;
}

async function traded(f: Fixture, id: bigint, code: string, trdSide: number, qty: number, price: string): Promise<bigint> {
  const symbol = `${id === ids.us ? 'US' : 'HK'}.${code}`;
  f.book(symbol, [[price, 1_000_000n]], [[price, 1_000_000n]]);
  const order = await f.place(id, { code, trdSide, qty, price: Number(price) });
  await f.pass();
  f.book(symbol, [], []);
  expect(f.order(order).status).toBe('filled_all');
  return order;
}

function position(f: Fixture, id: bigint, symbol: string) {
  return f.brokerage.records.ledger.position(id, symbol);
}

async function funds(f: Fixture, id: bigint): Promise<Funds> {
  const answer = await getFunds(f.simulation, create(FundsSchema, { header: f.header(f.account(id)) }));
  if (answer instanceof Refusal || answer.funds === undefined) throw new Error('no funds');
  return answer.funds;
}

/** Ledger entries of a cause: "symbol: balance kind amount day, …". */
async function booked(f: Fixture, id: bigint, wanted: string): Promise<string[]> {
  await f.pass(0);
  const transactions = await collected(f.brokerage.records.money.transactions(id, 0, Number.MAX_SAFE_INTEGER));
  return transactions
    .filter(({ cause }) => cause === wanted)
    .map(
      ({ symbol, entries }) =>
        `${symbol}: ${entries.map(({ balance, kind, amount, day }) => `${balance} ${kind} ${formatDecimal(amount)} ${day}`).join(', ')}`,
    );
}

const option = (f: Fixture, code: string) => f.instrument(`US.${code}`) as Option;

describe('options', () => {
  it('are bought for their whole premium, a hundred shares a contract, with fees by the contract', async () => {
    const f = opened();
    const before = await funds(f, ids.us);
    const order = await traded(f, ids.us, CALL, BUY, 3, '5.25');
    expect(position(f, ids.us, `US.${CALL}`)).toMatchObject({ quantity: 3n, cost: dec('1575') });
    const { fees } = f.order(order);
    expect(fees.map(({ title, value }) => [title, formatDecimal(value)])).toEqual([
      ['Commission', '1.99'],
      ['Platform Fee', '0.9'],
      ['Options Regulatory Fee', '0.07'],
      ['OCC Clearing Fee', '0.08'],
    ]);
    const after = await funds(f, ids.us);
    const paid = 1575 + Number(formatDecimal(totalFees(fees)));
    expect(before.cash - after.cash).toBeCloseTo(paid, 6);
    // Nothing is lent on a bought option.
    f.trade(`US.${CALL}`, '5.25', 1n, 1);
    expect((await funds(f, ids.us)).initialMargin).toBeCloseTo(1575, 6);
  });

  it('are sold short by margin accounts, against what nothing covers', async () => {
    const f = opened();
    f.trade(`US.${CALL}`, '5.25', 1n, 1);
    await traded(f, ids.us, CALL, SELL_SHORT, 2, '5.25');
    // 20 % of 270, a hundred times, twice.
    expect((await funds(f, ids.us)).initialMargin).toBeCloseTo(2 * 5_400, 6);
    f.trade(AAPL, '250', 1n, 1);
    // 20 % of 250 less 20 out of the money.
    expect((await funds(f, ids.us)).initialMargin).toBeCloseTo(2 * 3_000, 6);
    f.trade(AAPL, '200', 1n, 1);
    // At least 10 % of the underlying.
    expect((await funds(f, ids.us)).initialMargin).toBeCloseTo(2 * 2_000, 6);
    await traded(f, ids.us, CALL, BUY_BACK, 2, '1');
    expect((await funds(f, ids.us)).initialMargin).toBe(0);
    expect(position(f, ids.us, `US.${CALL}`)).toMatchObject({ quantity: 0n, realised: dec('850') });
  });

  const [HIGHER, LATER] = ['AAPL261127C280000', 'AAPL261218C270000'];
  it.each<[string, [string, bigint][], shares: bigint, spot: string, margin: string]>([
    ['calls that shares cover in part', [[CALL, -3n]], 250n, '270', '5400'],
    ['covered calls', [[CALL, -2n]], 200n, '270', '0'],
    [
      'a spread that can lose',
      [
        [CALL, -1n],
        [HIGHER, 1n],
      ],
      0n,
      '270',
      '1000',
    ],
    [
      'a spread that was paid for',
      [
        [CALL, 1n],
        [HIGHER, -1n],
      ],
      0n,
      '270',
      '0',
    ],
    [
      'a spread and a naked call',
      [
        [CALL, -2n],
        [HIGHER, 1n],
      ],
      0n,
      '270',
      '6400',
    ],
    ['a put covered by a short position', [[PUT, -1n]], -100n, '270', '0'],
    ['a put that shares do not cover', [[PUT, -1n]], 100n, '270', '5400'],
    ['a put far out of the money', [[PUT, -1n]], 0n, '400', '2700'],
    [
      'a sold call beyond the expiry of the bought one',
      [
        [LATER, -1n],
        [CALL, 1n],
      ],
      0n,
      '270',
      '5400',
    ],
    [
      'a sold call before the expiry of the bought one',
      [
        [CALL, -1n],
        [LATER, 1n],
      ],
      0n,
      '270',
      '0',
    ],
  ])('ask for the margin of %s', (_, holdings, held, spot, margin) => {
    const f = opened();
    const positions = holdings.map(([code, quantity]) => ({ option: option(f, code), quantity }));
    expect(formatDecimal(optionMargin(positions, { instrument: f.instrument(AAPL), price: dec(spot), held }))).toBe(margin);
  });

  it('are refused to accounts that may not or cannot', async () => {
    const f = opened();
    expect(await f.refusal(ids.us, { code: CALL, trdSide: SELL, qty: 1, price: 5 })).toContain('to open a short position');
    expect(await f.refusal(ids.us, { code: CALL, qty: 100_000, price: 500 })).toContain('insufficient buying power');
    expect(await f.refusal(ids.us, { code: CALL, trdSide: SELL_SHORT, qty: 1_000, price: 5 })).toContain('insufficient buying power');
    expect(await f.refusal(ids.us, { code: CALL, qty: 1, price: 5.001 })).toContain('is not on the tick');
    expect(await f.refusal(ids.us, { code: CALL, qty: 1, price: 5, orderType: 6 })).toContain('is not accepted');
    expect(await f.refusal(ids.us, { code: CALL, qty: 1, price: 5, fillOutsideRTH: true })).toContain('fillOutsideRTH');
    expect(await f.refusal(ids.us, { code: 'AAPL261113C270000', qty: 1, price: 5 })).toContain('was last traded on 2026-11-13');
  });

  it('cost nothing overnight', async () => {
    const f = opened();
    await traded(f, ids.us, CALL, SELL_SHORT, 1, '5');
    await f.pass(2 * DAY);
    expect(await booked(f, ids.us, 'interest')).toEqual([]);
  });

  it('may be traded as often as the account can pay for', async () => {
    const f = opened();
    f.trade(`US.${CALL}`, '5', 1n, 1);
    const header = f.header(f.account(ids.us));
    const answer = await getMaxTrdQtys(f.simulation, create(MaxQtysSchema, { header, orderType: 1, code: CALL, price: 5 }));
    if (answer instanceof Refusal) throw new Error(answer.message);
    const { maxCashBuy = 0, maxSellShort = 0 } = answer.maxTrdQtys ?? {};
    const cash = 2_000_000;
    expect(maxCashBuy).toBeGreaterThan(cash / 501.1 - 10);
    expect(maxCashBuy).toBeLessThan(cash / 500);
    expect(maxSellShort).toBeLessThanOrEqual(cash / 5_400);
    expect(await f.tryPlace(ids.us, { code: CALL, qty: maxCashBuy, price: 5 })).not.toBeInstanceOf(Refusal);
  });
});

describe('at expiry', () => {
  /** Past the close of 27 November in New York. */
  const OVER = 8.5 * DAY;

  async function expired(f: Fixture, last: string, spot: string): Promise<void> {
    f.trade(AAPL, spot, 1n, 1);
    for (const code of [CALL, PUT]) f.trade(`US.${code}`, last, 1n, 1);
    await f.pass(OVER);
  }

  it('options out of the money lapse', async () => {
    const f = opened();
    await traded(f, ids.us, CALL, BUY, 1, '5');
    await traded(f, ids.us, PUT, SELL_SHORT, 1, '4');
    const order = await f.place(ids.us, { code: CALL, trdSide: SELL, qty: 1, price: 20, timeInForce: 1 });
    await expired(f, '0.001', '270');
    expect(await booked(f, ids.us, 'expiry')).toEqual([
      `US.${CALL}: realised realised -500 2026-11-28`,
      `US.${PUT}: realised realised 400 2026-11-28`,
    ]);
    expect([position(f, ids.us, `US.${CALL}`)?.quantity, position(f, ids.us, `US.${PUT}`)?.quantity]).toEqual([0n, 0n]);
    expect(position(f, ids.us, AAPL)).toBeUndefined();
    expect(f.order(order)).toMatchObject({ status: 'cancelled_all' });
  });

  it('a bought call is exercised: shares come at the strike', async () => {
    const f = opened();
    await traded(f, ids.us, CALL, BUY, 2, '5');
    await expired(f, '30', '300');
    expect(await booked(f, ids.us, 'exercise')).toEqual([
      `US.${CALL}: realised realised -1000 2026-11-28`,
      `${AAPL}: unsettled trade -54000 2026-11-28`,
    ]);
    expect(position(f, ids.us, AAPL)).toMatchObject({ quantity: 200n, cost: dec('54000') });
    // The gain is in the shares: 200 × (300 − 270) less the premium.
    const shares = position(f, ids.us, AAPL);
    expect(shares && f.brokerage.valuer.value(shares).unrealised).toBe(dec('6000'));
  });

  it('a sold put is assigned: shares are bought; a sold call delivers those that cover it', async () => {
    const f = opened();
    await traded(f, ids.us, 'AAPL', BUY, 100, '270');
    await traded(f, ids.us, CALL, SELL_SHORT, 1, '5');
    await expired(f, '30', '300');
    expect(await booked(f, ids.us, 'assignment')).toEqual([
      `US.${CALL}: realised realised 500 2026-11-28`,
      `${AAPL}: unsettled trade 27000 2026-11-28`,
    ]);
    expect(position(f, ids.us, AAPL)?.quantity).toBe(0n);
    const g = opened();
    await traded(g, ids.us, PUT, SELL_SHORT, 1, '5');
    await expired(g, '20', '250');
    expect(position(g, ids.us, AAPL)).toMatchObject({ quantity: 100n, cost: dec('27000') });
  });

  it('a contract delivers what its shares have become', async () => {
    const split = {
      kind: 'split',
      ratio: [4n, 1n],
      announcedDay: '2026-11-01',
      recordDay: '2026-11-24',
      payDay: '2026-11-24',
      exDay: '2026-11-24',
    };
    const f = opened({
      corporateActions: (symbol, from, to) => (symbol === AAPL && from <= '2026-11-24' && to >= '2026-11-24' ? [split as never] : []),
    });
    await traded(f, ids.us, CALL, BUY, 1, '5');
    await expired(f, '30', '75');
    expect(position(f, ids.us, AAPL)).toMatchObject({ quantity: 400n, cost: dec('27000') });
  });

  it('is booked once, whatever happens to the process', async () => {
    const f = opened();
    await traded(f, ids.us, CALL, BUY, 2, '5');
    await expired(f, '30', '300');
    const again = f.restarted(DAY);
    again.trade(AAPL, '300', 1n, 1);
    await again.pass(DAY);
    expect(await booked(again, ids.us, 'exercise')).toHaveLength(2);
    expect(position(again, ids.us, AAPL)?.quantity).toBe(200n);
  });

  it('options on an index are paid in cash', async () => {
    const f = Fixture.open();
    const chain = f.simulation.world.listed({ kind: 'option', underlying: 'HK.800000' }).filter((each) => each.kind === 'option');
    const soonest = chain.reduce((first, each) => (each.option.expiry < first.option.expiry ? each : first));
    await traded(f, ids.hkMargin, soonest.code, BUY, 1, '100');
    f.trade(soonest.symbol, '250', 1n, 1);
    const days = (Date.parse(soonest.option.expiry) - f.clock.now()) / DAY + 2;
    await f.pass(days * DAY);
    const paid = 250n * soonest.multiplier;
    const [line = ''] = await booked(f, ids.hkMargin, 'expiry');
    expect(line).toContain(`unsettled cash_settlement ${formatDecimal(paid)} `);
    expect(position(f, ids.hkMargin, soonest.symbol)).toMatchObject({ quantity: 0n, realised: 150n * soonest.multiplier });
  });
});

describe('before a dividend', () => {
  const EX = '2026-11-24';
  const paying = (cash: string): CorporateActions => {
    const days = { announcedDay: '2026-11-01', exDay: EX, recordDay: EX, payDay: '2026-12-10' };
    const action = { kind: 'dividend', cash: dec(cash), currency: 'USD', special: false, ...days } as const;
    return { corporateActions: (symbol, from, to) => (symbol === AAPL && from <= EX && to >= EX ? [action] : []) };
  };
  /** Past the close of 23 November in New York, when Apple and the put at 270 close so. */
  async function closed(f: Fixture, spot: string, put: string): Promise<void> {
    f.trade(AAPL, spot, 1n, 1);
    f.trade(`US.${PUT}`, put, 1n, 1);
    f.trade(`US.${CALL}`, '30', 1n, 1);
    await f.pass(4.5 * DAY);
  }
  const assigned = (f: Fixture) => booked(f, ids.us, 'assignment');

  it('a sold call whose dividend is more than its time value is assigned, once; what buys it back is cancelled', async () => {
    const f = opened(paying('2'));
    await traded(f, ids.us, 'AAPL', BUY, 100, '270');
    await traded(f, ids.us, CALL, SELL_SHORT, 3, '5');
    const back = await f.place(ids.us, { code: CALL, trdSide: BUY_BACK, qty: 1, price: 1, timeInForce: 1 });
    await closed(f, '300', '0.05');
    const entries = [`US.${CALL}: realised realised 1500 2026-11-24`, `${AAPL}: unsettled trade 81000 2026-11-24`];
    expect((await assigned(f)).map((line) => line.split(', ')[0])).toEqual(entries);
    expect(position(f, ids.us, `US.${CALL}`)?.quantity).toBe(0n);
    expect(position(f, ids.us, AAPL)?.quantity).toBe(-200n);
    expect(f.order(back)).toMatchObject({ status: 'cancelled_all' });
    // Assigned at the close before: who has the shares by then gets the dividend, and who owes them pays it.
    expect(await booked(f, ids.us, 'dividend')).toEqual([`${AAPL}: dividends dividend -400 2026-12-10`]);
    const again = f.restarted(DAY);
    await again.pass(DAY);
    expect(await assigned(again)).toHaveLength(2);
  });

  it.each([
    ['the dividend is less than the put costs', '2', '300', '2.5'],
    ['the dividend is less than the interest on the strike', '0.05', '300', '0.01'],
    ['the call is out of the money', '2', '269', '0.05'],
    ['nothing is paid', '0', '300', '0.01'],
  ])('it is not where %s', async (_why, cash, spot, put) => {
    const f = opened(cash === '0' ? undefined : paying(cash));
    await traded(f, ids.us, CALL, SELL_SHORT, 1, '5');
    await closed(f, spot, put);
    expect(await assigned(f)).toEqual([]);
    expect(position(f, ids.us, `US.${CALL}`)?.quantity).toBe(-1n);
  });

  it('a bought call stays, and so does a sold put', async () => {
    const f = opened(paying('2'));
    await traded(f, ids.us, CALL, BUY, 1, '5');
    await traded(f, ids.us, PUT, SELL_SHORT, 1, '5');
    await closed(f, '300', '0.05');
    expect([position(f, ids.us, `US.${CALL}`)?.quantity, position(f, ids.us, `US.${PUT}`)?.quantity]).toEqual([1n, -1n]);
  });
});

describe('warrants', () => {
  function aWarrant(f: Fixture): Warrant {
    const found = f.simulation.world
      .listed({ kind: 'warrant', underlying: 'HK.00700' })
      .filter((each) => each.kind === 'warrant')
      .reduce((first, each) => (each.warrant.maturity < first.warrant.maturity ? each : first));
    return found;
  }

  it('are traded like shares, without stamp duty and without loans, and paid out at maturity', async () => {
    const f = Fixture.open();
    const warrant = aWarrant(f);
    const lot = warrant.lotSize;
    expect(await f.refusal(ids.hkCash, { code: warrant.code, qty: lot + 1, price: 0.25 })).toContain('is not a multiple of the lot size');
    expect(await f.refusal(ids.hkMargin, { code: warrant.code, trdSide: SELL_SHORT, qty: lot, price: 0.25 })).toContain(
      'cannot be sold short',
    );
    const order = await traded(f, ids.hkCash, warrant.code, BUY, lot, '0.25');
    expect(f.order(order).fees.map(({ title }) => title)).toEqual([
      'Commission',
      'Platform Fee',
      'Trading Fee',
      'SFC Transaction Levy',
      'AFRC Transaction Levy',
      'Settlement Fee',
    ]);
    f.trade(warrant.symbol, '0.4', 1n, 1);
    await f.pass(Date.parse(warrant.lastTradingDay ?? '') - f.clock.now() + 2 * DAY);
    const [line = ''] = await booked(f, ids.hkCash, 'expiry');
    const paid: Decimal = dec('0.4') * BigInt(lot);
    expect(line).toContain(`${warrant.symbol}: unsettled cash_settlement ${formatDecimal(paid)} `);
    expect(position(f, ids.hkCash, warrant.symbol)?.quantity).toBe(0n);
  });
});
