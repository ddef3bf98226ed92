import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { HK_CASH, HK_MARGIN, REAL, REAL_FUTURES, TOKEN_REAL, US_MARGIN } from './accounts.js';

/** Random writes of every kind, good and bad. */

export interface Write {
  readonly operation: Operation;
  readonly body: Record<string, unknown>;
}

/** A change of one of the orders that were placed before: `which` counts them. */
export interface ChangeDraw {
  readonly kind: 'change';
  readonly which: number;
  readonly operation: Operation;
  readonly terms: Record<string, unknown>;
}

/** A reversal, a roll or a closing order of one of the positions held: `which` counts them. */
export interface PositionDraw {
  readonly kind: 'position';
  readonly which: number;
  readonly operation: Operation;
  readonly target: string;
  /** Quantity beyond the position, for a closing order. */
  readonly more: number;
}

export type Draw = Write | ChangeDraw | PositionDraw;

const SIMULATED_FUTURES = '281756478396547008';

const some = <T>(weight: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary });

interface Place {
  readonly acc_id: string;
  readonly env: string;
  readonly market: string;
  readonly symbol: string;
  readonly qty: number;
  readonly price: number;
}
const at = (acc_id: string, env: string, symbol: string, qty: number, price: number): Place => ({
  acc_id,
  env,
  market: symbol.includes('MHI') ? 'FUTURES' : symbol.slice(0, 2),
  symbol,
  qty,
  price,
});
/** With a quantity and a price that are good there. */
const places = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      at(HK_MARGIN, 'simulate', 'HK.00700', 100, 400),
      at(HK_CASH, 'simulate', 'HK.00005', 400, 60),
      at(US_MARGIN, 'simulate', 'US.AAPL', 10, 250),
      at(REAL, 'real', 'HK.00700', 200, 380),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      at(REAL_FUTURES, 'real', 'HK.MHI2612', 1, 26_000),
      at(SIMULATED_FUTURES, 'simulate', 'HK.MHI2612', 1, 26_000),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      at(HK_MARGIN, 'real', 'HK.00700', 100, 400),
      at(HK_CASH, 'simulate', 'US.AAPL', 10, 250),
      at(TOKEN_REAL, 'real', 'US.AAPL', 10, 250),
    ),
  },
);
const oddQuantities = fc.constantFrom(1, 1.5, 150, 99, 1_000, 10_000, 100_000, 3_000_000_000);
const oddPrices = fc.constantFrom(0.01, 200, 250.03, 390.001, 25_000_000, 26_000);
const sides = fc.oneof(
  { weight: 5, arbitrary: fc.constant('BUY') },
  { weight: 4, arbitrary: fc.constantFrom('SELL', 'SELL_SHORT', 'BUY_BACK') },
);

/** Side, quantity and price, one or both of them odd at times. */
const basics = fc
  .tuple(places, sides, some(3, oddQuantities), some(3, oddPrices), some(1, fc.constant(true)))
  .map(([{ qty, price, ...place }, side, oddQty, oddPrice, unpriced]) => ({
    ...place,
    side,
    qty: oddQty ?? qty,
    price: unpriced ? undefined : (oddPrice ?? price),
  }));

const terms = fc.record({
  order_type: some(
    4,
    fc.constantFrom(
      'MARKET',
      'ABSOLUTE_LIMIT',
      'AUCTION',
      'AUCTION_LIMIT',
      'STOP',
      'STOP_LIMIT',
      'LIMIT_IF_TOUCHED',
      'TRAILING_STOP',
      'TRAILING_STOP_LIMIT',
      'TWAP_LIMIT',
    ),
  ),
  time_in_force: some(3, fc.constantFrom('DAY', 'GTC', 'IOC', 'GTD')),
  expire_time: some(2, fc.constantFrom('2026-12-18', 'soon', '2020-01-01')),
  aux_price: some(5, fc.constantFrom(0, 60, 250, 380, 400, 250.03)),
  trail_type: some(5, fc.constantFrom('RATIO', 'AMOUNT')),
  trail_value: some(5, fc.constantFrom(5, 0, 1_000)),
  trail_spread: some(5, fc.constantFrom(1, 0)),
  fill_outside_rth: some(1, fc.constant(true)),
  adjust_price: some(1, fc.constant(true)),
  adjust_side_and_limit: some(1, fc.constantFrom(0.001, -0.001, 0.5)),
});
const place = fc
  .tuple(basics, terms, some(1, fc.constantFrom('HK.99999', 'HK.MHI2612', 'US.AAPL', 'US.AAPL261218C300000')))
  .map(([order, more, other]): Write => ({ operation: trade.placeOrder, body: { ...order, ...more, symbol: other ?? order.symbol } }));

const bracket = fc
  .tuple(basics, fc.constantFrom(1.05, 1.2, 0.9), some(8, fc.constantFrom(0.9, 0.8, 1.1)), some(1, terms))
  .map(([order, profit, stop, more]): Write => {
    const near = (factor: number) => Math.round((order.price ?? 100) * factor);
    return {
      operation: trade.placeBracketOrder,
      body: {
        ...order,
        order_type: more?.order_type,
        time_in_force: more?.time_in_force,
        take_profit_price: near(profit),
        stop_loss_price: stop === undefined ? undefined : near(stop),
      },
    };
  });

const [BUY, SELL, SELL_SHORT] = [1, 2, 3];
const leg = fc.record({
  security: fc.constantFrom({ market: 1, code: '00700' }, { market: 1, code: '00005' }, { market: 11, code: 'AAPL' }),
  side: fc.constantFrom(BUY, SELL_SHORT, SELL),
  qty_ratio: fc.constantFrom(1, 2, 4, 0.5),
});
/** Long one, short the other: a unit costs about what it brings. */
const pair = [
  { security: { market: 1, code: '00700' }, side: BUY, qty_ratio: 1 },
  { security: { market: 1, code: '00005' }, side: SELL_SHORT, qty_ratio: 4 },
];
const combo = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: fc.constant(pair) }, { weight: 1, arbitrary: fc.array(leg, { minLength: 1, maxLength: 3 }) }),
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(100, 200) }, { weight: 1, arbitrary: oddQuantities }),
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(50, 10) }, { weight: 1, arbitrary: fc.constantFrom(-5_000, 300.001, 3_000) }),
  )
  .map(([combo_legs, qty, price]): Write => {
    const header = { trd_env: 1, acc_id: HK_MARGIN, trd_market: 1 };
    return { operation: trade.placeComboOrder, body: { c2s: { header, combo_legs, qty, price, order_type: 1 } } };
  });

const change = fc
  .tuple(fc.nat(), fc.constantFrom(1, 1, 1, 3, 4, 5, 6, 7), some(6, fc.constantFrom(100, 200, 1_000, 150)), some(6, oddPrices))
  .map(([which, op, qty, price]): ChangeDraw => {
    if (op === 6) return { kind: 'change', which, operation: trade.cancelOrder, terms: {} };
    if (op === 7) return { kind: 'change', which, operation: trade.reconfirmOrder, terms: { reconfirm_reason: qty === undefined ? 1 : 2 } };
    return { kind: 'change', which, operation: trade.modifyOrder, terms: { op, qty, price } };
  });

const position = fc
  .tuple(
    fc.nat(),
    fc.constantFrom(trade.reversePosition, trade.rollPosition, trade.placeOrder, trade.placeOrder),
    fc.constantFrom('HSI2703', 'HSI2612', 'MHI2703'),
    fc.constantFrom(0, 0, 100, 1),
  )
  .map(([which, operation, target, more]): PositionDraw => ({ kind: 'position', which, operation, target, more }));

export const randomWrites: fc.Arbitrary<Draw> = fc.oneof(
  { weight: 5, arbitrary: place },
  { weight: 1, arbitrary: bracket },
  { weight: 1, arbitrary: combo },
  { weight: 3, arbitrary: change },
  { weight: 1, arbitrary: position },
);
