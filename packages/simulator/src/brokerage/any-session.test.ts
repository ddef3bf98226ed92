import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collected, dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { CrashingStore } from '../../../../test/support/crashing-store.js';
import type { CorporateAction, CorporateActions } from '../companies/corporate-actions.js';
import type { LedgerTransaction } from '../ledger/index.js';
import { totalFees } from './fees.js';
import { type FillRecord, frozenCash, isBuying, isCombo, mainLeg, type OrderRecord, remainingOf, reservedMargin } from './order.js';
import { isLegalMove, isOpen } from './order-status.js';
import { type OrderStatus, orderStatuses, orderTypes } from './terms.js';

const DAY = 86_400_000;
const EVER = Number.MAX_SAFE_INTEGER;
/** Trd_Common.TimeInForce. */
const GTD = 3;
/** Trd_Common.ModifyOrderOp. */
const [NORMAL, CANCEL, DISABLE, ENABLE, DELETE] = [1, 2, 3, 4, 5];
const accounts = [ids.hkCash, ids.hkMargin, ids.us];
const PAIR = 'HK.00005';

const everyType = [1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

const step = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('place' as const) },
    { weight: 7, arbitrary: fc.constant('market' as const) },
    { weight: 2, arbitrary: fc.constantFrom('modify' as const, 'cancel' as const) },
    { weight: 2, arbitrary: fc.constantFrom('disable' as const, 'enable' as const, 'delete' as const, 'confirm' as const) },
    { weight: 3, arbitrary: fc.constantFrom('combo' as const, 'minutes' as const, 'day' as const, 'crash' as const) },
    { weight: 2, arbitrary: fc.constantFrom('refuse' as const, 'silence' as const, 'lose_sight' as const, 'bust' as const) },
  ),
  account: fc.constantFrom(...accounts),
  side: fc.constantFrom(1, 1, 2, 3, 4),
  type: fc.constantFrom(1, ...everyType),
  /** Change of the price around which everything trades, in percent. */
  moved: fc.integer({ min: -6, max: 6 }),
  /** A slip of the decimal point. */
  slips: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  lots: fc.integer({ min: 1, max: 30 }),
  duration: fc.constantFrom(0, 0, 1, 2, GTD),
  which: fc.nat(),
  flushed: fc.nat({ max: 12 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const marketOf = (account: bigint) =>
  account === ids.us ? { symbol: 'US.AAPL', code: 'AAPL', base: 200, lot: 1 } : { symbol: 'HK.00700', code: '00700', base: 600, lot: 100 };

async function place(f: Fixture, { account, side, type, moved, slips, lots, duration }: Step): Promise<void> {
  const { code, base, lot } = marketOf(account);
  const price = Math.round(base * (1 + moved / 100)) * (slips && type === 1 ? 10 : 1);
  const timeInForce = type === 1 ? duration : 0;
  await f.tryPlace(account, {
    ...{ code, trdSide: side, orderType: type, qty: lots * lot, price, auxPrice: Math.round(base * (1 + (side % 2 === 1 ? 2 : -2) / 100)) },
    ...{ trailType: 1, trailValue: 1.5, trailSpread: 1, timeInForce },
    ...(timeInForce === GTD ? { expireTime: new Date(f.clock.now() + 2 * DAY).toISOString().slice(0, 10) } : {}),
  });
}

async function placeCombo(f: Fixture, { moved, lots }: Step): Promise<void> {
  const leg = (code: string, side: 'buy' | 'sell_short', ratio: number) => ({ code, secMarket: 0, side, ratio });
  await f.brokerage.desk.placeCombo({
    ...{
      account: f.account(ids.hkMargin),
      tradeMarket: 'HK',
      type: 'normal',
      timeInForce: 'gtc',
      remark: '',
      packet: undefined,
      fingerprint: '',
    },
    ...{ legs: [leg('00700', 'buy', 1), leg('00005', 'sell_short', 4)], quantity: lots * 100, price: 200 + 10 * moved },
  });
}

/** The market moves: its book, and a trade. */
function move(f: Fixture, { account, moved, lots, side }: Step): void {
  const { symbol, base, lot } = marketOf(account);
  const at = (percent: number) => String(Math.round(base * (1 + percent / 100)));
  const volume = BigInt(lots * lot);
  f.book(symbol, [[at(moved - 1), volume]], [[at(moved + 1), volume]]);
  f.book(PAIR, [['100', volume * 4n]], [['100.5', volume * 4n]]);
  f.trade(symbol, at(moved), volume, side % 2 === 1 ? 1 : -1);
  // And back through where it was: whatever waits for a price is reached now and then.
  f.trade(symbol, at(-moved), volume, side % 2 === 1 ? -1 : 1);
}

async function anOrder(f: Fixture, { account, which }: Step, fits: (order: OrderRecord) => boolean): Promise<OrderRecord | undefined> {
  const fitting = (await collected(f.brokerage.records.ordersBetween(account, 0, EVER))).filter(fits);
  return fitting[which % Math.max(1, fitting.length)];
}

/** Runs a step against a running brokerage; the session itself handles crashes. */
async function act(f: Fixture, one: Step): Promise<void> {
  const { kind, account, lots, moved } = one;
  const change = async (modifyOrderOp: number, fits: (order: OrderRecord) => boolean, more: object = {}) => {
    const order = await anOrder(f, one, fits);
    if (order !== undefined) await f.modify(account, { orderID: order.id, modifyOrderOp, ...more });
  };
  const open = ({ status }: OrderRecord) => isOpen(status);
  if (kind === 'place') {
    await place(f, one);
    if (one.which % 3 === 0) return;
    await f.pass();
    move(f, { ...one, moved: (one.which % 13) - 6 });
  } else if (kind === 'combo') await placeCombo(f, one);
  else if (kind === 'market') move(f, one);
  else if (kind === 'modify') {
    const { base, lot } = marketOf(account);
    await change(NORMAL, open, { qty: lots * lot, price: Math.round(base * (1 + moved / 100)) });
  } else if (kind === 'cancel') {
    // Rather one that is partly filled.
    const partly = await anOrder(f, one, ({ status }) => status === 'filled_part');
    await change(CANCEL, partly === undefined ? open : ({ id }) => id === partly.id);
  } else if (kind === 'disable') await change(DISABLE, open);
  else if (kind === 'enable') await change(ENABLE, ({ status }) => status === 'disabled');
  else if (kind === 'delete') await change(DELETE, ({ status }) => !isOpen(status));
  else if (kind === 'confirm') {
    const order = await anOrder(f, one, ({ status }) => status === 'unsubmitted');
    const write = { packet: undefined, fingerprint: '' };
    if (order !== undefined) await f.brokerage.desk.reconfirm(f.account(account), order, 'price', write);
  } else if (kind === 'minutes') for (let i = 0; i < lots; i++) await f.pass(60_000);
  else if (kind === 'day') await f.pass(DAY);
  else if (kind === 'refuse') f.brokerage.exchange.refuse();
  else if (kind === 'silence') f.brokerage.exchange.silence(90_000);
  else if (kind === 'lose_sight') await f.brokerage.exchange.loseSight(90_000);
  else if (kind === 'bust') {
    // The account may be short and may borrow: the proceeds of earlier sales may be spent already.
    const order = await anOrder(f, { ...one, account: ids.hkMargin }, ({ status }) => status === 'filled_all');
    if (order !== undefined) await f.brokerage.exchange.cancelFills(order.idEx);
  }
}

/** Shares are split on Mondays and consolidated on Tuesdays, with fractions. */
const splitOn: Readonly<Record<number, readonly [becomes: bigint, from: bigint]>> = { 1: [3n, 2n], 2: [2n, 3n] };
const ratioOn = (day: string) => splitOn[new Date(day).getUTCDay()];

/** Issuers of what is held pay a dividend every weekday, offer rights on Mondays, and split their shares. */
const issuers: CorporateActions = {
  corporateActions(symbol, from, to) {
    if (symbol !== 'HK.00700') return [];
    return weekdays(from, to).flatMap((day): CorporateAction[] => {
      const [payDay = day] = weekdays(dayAfter(day), dayAfter(day, 4));
      const days = { announcedDay: '2026-11-01', exDay: day, recordDay: day, payDay };
      const dividend = { kind: 'dividend', cash: dec('0.7'), currency: 'HKD', special: false, ...days } as const;
      const rights = { kind: 'rights', ratio: [1n, 10n], price: dec('500'), currency: 'HKD', ...days } as const;
      const ratio = ratioOn(day);
      const split: CorporateAction[] = ratio === undefined ? [] : [{ kind: 'split', ratio, ...days }];
      return [dividend, ...(new Date(day).getUTCDay() === 1 ? [rights] : []), ...split];
    });
  },
};
const dayAfter = (day: string, days = 1) => new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);

/** Mondays to Fridays among [from, to]. */
function weekdays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = dayAfter(day)) if (new Date(day).getUTCDay() % 6 !== 0) days.push(day);
  return days;
}

const seen = { statuses: new Set<OrderStatus>(), types: new Set<string>(), causes: new Set<string>() };

function checkOrder(order: OrderRecord, fills: readonly FillRecord[]): void {
  seen.statuses.add(order.status);
  if (order.filledQuantity > 0n) seen.types.add(order.type);
  const { quantity, filledQuantity, filledValue, status, worstPrice } = order;
  expect(filledQuantity <= quantity).toBe(true);
  if (status === 'cancelled_all' || status === 'failed' || status === 'submit_failed' || status === 'deleted')
    expect(filledQuantity).toBe(0n);
  if (status === 'filled_all') expect(filledQuantity).toBe(quantity);
  if (status === 'cancelled_part') expect(filledQuantity > 0n && filledQuantity < quantity).toBe(true);
  expect(fills.every(({ cancelled = false }) => cancelled === (status === 'fill_cancelled'))).toBe(true);
  if (isCombo(order)) {
    for (const leg of order.legs) {
      const own = fills.filter(({ symbol }) => symbol === leg.symbol);
      expect(own.reduce((sum, fill) => sum + fill.quantity, 0n)).toBe(filledQuantity * leg.ratio);
    }
    expect(filledValue <= order.price * filledQuantity).toBe(true);
    return;
  }
  const { side, cashPerUnit } = mainLeg(order);
  expect(fills.reduce((sum, fill) => sum + fill.quantity, 0n)).toBe(filledQuantity);
  expect(fills.reduce((sum, fill) => sum + fill.quantity * fill.price, 0n)).toBe(filledValue);
  // A change of the limit applies from then on; what has a limit now was never filled beyond the one it had.
  if (isOpen(status) && isBuying(side)) expect(frozenCash(order)).toBe(cashPerUnit * remainingOf(order) + order.feeReserve);
  if (isOpen(status) && isBuying(side)) expect(cashPerUnit).toBe(worstPrice);
}

/** Holdings by security after fills, cancelled trades and splits, each in its turn. */
function heldAfter(fills: readonly FillRecord[], booked: readonly LedgerTransaction[]): ReadonlyMap<string, bigint> {
  const held = new Map<string, bigint>();
  const add = (symbol: string, quantity: bigint) => held.set(symbol, (held.get(symbol) ?? 0n) + quantity);
  const signed = ({ side, quantity }: FillRecord) => (isBuying(side) ? quantity : -quantity);
  const steps: { readonly id: bigint; readonly take: () => void }[] = [];
  for (const fill of fills) steps.push({ id: fill.id, take: () => add(fill.symbol, signed(fill)) });
  for (const { id, cause, symbol, orderId, remark } of booked) {
    if (cause === 'bust') {
      const own = fills.filter((fill) => fill.orderId === orderId && fill.symbol === symbol);
      const taken = own.reduce((sum, fill) => sum + signed(fill), 0n);
      steps.push({ id, take: () => add(symbol, -taken) });
    }
    const ratio = cause === 'split' ? ratioOn(remark.slice('ex '.length, 'ex 2026-11-25'.length)) : undefined;
    if (ratio !== undefined) steps.push({ id, take: () => held.set(symbol, ((held.get(symbol) ?? 0n) * ratio[0]) / ratio[1]) });
  }
  steps.sort((a, b) => Number(a.id - b.id));
  for (const { take } of steps) take();
  return held;
}

async function checkAccount(f: Fixture, id: bigint): Promise<void> {
  const account = f.account(id);
  const { records } = f.brokerage;
  const { ledger, money } = records;
  const orders = await collected(records.ordersBetween(id, 0, EVER));
  const fills = await collected(records.fillsBetween(id, 0, EVER));
  for (const order of orders) {
    checkOrder(
      order,
      fills.filter(({ orderId }) => orderId === order.id),
    );
  }
  const booked = await collected(money.transactions(id, 0, EVER));
  const net = heldAfter(fills, booked);
  for (const symbol of [marketOf(id).symbol, PAIR])
    expect([symbol, ledger.position(id, symbol)?.quantity ?? 0n]).toEqual([symbol, net.get(symbol) ?? 0n]);
  const currency = account.base;
  const open = orders.filter(({ status }) => isOpen(status));
  expect(ledger.frozen(account, currency)).toBe(open.reduce((sum, order) => sum + frozenCash(order), 0n));
  expect(ledger.reservedMargin(account, currency)).toBe(open.reduce((sum, order) => sum + reservedMargin(order), 0n));
  let cash = 0n;
  const paidFor = new Map<bigint, bigint>();
  for (const { entries, cause, orderId } of booked) {
    seen.causes.add(cause);
    const moved = entries
      .filter(({ balance }) => balance === 'settled' || balance === 'unsettled')
      .reduce((sum, { amount }) => sum + amount, 0n);
    if (orderId !== undefined) paidFor.set(orderId, (paidFor.get(orderId) ?? 0n) + moved);
    for (const { balance, amount } of entries) if (balance === 'settled' || balance === 'unsettled') cash += amount;
  }
  expect(money.balances(id, currency).cash).toBe(cash);
  for (const order of orders.filter(({ status }) => status !== 'fill_cancelled')) {
    const paid = isCombo(order) || isBuying(mainLeg(order).side) ? -order.filledValue : order.filledValue;
    expect([order.id, paidFor.get(order.id) ?? 0n]).toEqual([order.id, paid - totalFees(order.fees)]);
  }
  expect(ledger.openOrders(account)).toBe(open.length);
  if (account.type === 'cash') {
    expect(ledger.cash(account, currency) >= ledger.frozen(account, currency)).toBe(true);
    expect((net.get(marketOf(id).symbol) ?? 0n) >= 0n).toBe(true);
  }
}

/** Each order's statuses as they were told: every move is legal, over restarts too, and no fill is beyond the limit that the order then had. */
function checkEvents(f: Fixture, last: Map<bigint, OrderStatus>): void {
  for (const event of f.events.splice(0)) {
    const { order } = event;
    if (event.kind === 'fill') {
      const { price, side, cancelled } = event.fill;
      if (!isCombo(order) && !cancelled) expect(isBuying(side) ? price <= order.worstPrice : price >= order.worstPrice).toBe(true);
      continue;
    }
    seen.statuses.add(order.status);
    const before = last.get(order.id);
    if (before !== undefined && before !== order.status)
      expect([before, order.status, isLegalMove(before, order.status)]).toEqual([before, order.status, true]);
    last.set(order.id, order.status);
  }
}

it('holds what must hold of orders, money and positions through any session: every order type, change and incident, dividends, rights and splits, days and crashes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('open' as const, 'calendar' as const),
      fc.array(step, { minLength: 25, maxLength: 60, size: 'max' }),
      async (mode, steps) => {
        let store = new CrashingStore();
        let f = Fixture.open({ store, mode, corporateActions: issuers });
        const last = new Map<bigint, OrderStatus>();
        f.book('HK.00700', [], [['600', 4_000n]]);
        for (const id of [ids.hkCash, ids.hkMargin]) await f.place(id, { code: '00700', qty: 2_000, price: 600 });
        await f.pass();
        for (const one of steps) {
          if (one.kind === 'crash') {
            store.hold();
            void place(f, one);
            move(f, one);
            f.clock.advance(one.lots * 1_000);
            await store.flush(one.flushed);
            store = store.crashed();
            checkEvents(f, last);
            f = f.restarted(one.lots * 60_000, store);
            // The last changes on disk may not have been announced.
            for (const id of last.keys()) {
              const order = f.brokerage.order(id);
              if (order !== undefined) last.set(id, order.status);
            }
          } else await act(f, one);
          if (one.lots % 3 !== 0) await f.pass();
          await f.brokerage.records.journal.whenDurable(undefined);
          checkEvents(f, last);
          for (const id of accounts) await checkAccount(f, id);
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
  // The sessions were of everything.
  expect([...seen.causes]).toEqual(expect.arrayContaining(['fill', 'bust', 'settlement', 'dividend', 'payment', 'rights', 'split']));
  const statuses = [-1, 0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 21, 22, 23, 24].map((number) => orderStatuses.wordOf(number));
  expect([...seen.statuses].sort()).toEqual([...statuses].sort());
  expect([...seen.types].sort()).toEqual(everyType.map((number) => orderTypes.wordOf(number)).sort());
}, 120_000);
