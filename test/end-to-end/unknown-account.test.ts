import { refusalCode } from '@svc-gateway/contract/broker-codes';
import type { Operation } from '@svc-gateway/contract/operation';
import { account as accounts, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';

/** An account that nobody has is refused in one way, whatever is asked of it and whoever asks. */

const simulated = { acc_id: '7', env: 'simulate', market: 'HK' };
const real = { ...simulated, env: 'real' };
const order = { acc_id: '7', env: 'simulate', symbol: 'HK.00700', side: 'BUY', qty: 100, price: 350 };
const leg = (code: string, market = 1) => ({ security: { market, code }, side: 'BUY', qty_ratio: 1 });
const header = { acc_id: '7', trd_env: 'simulate', trd_market: 'HK' };
const combo = { qty: 400, price: 10, order_type: 'NORMAL', combo_legs: [leg('00700'), leg('00005')] };
const version = { extension_version: 1 };
const position = { ...real, position_id: '5', idempotency_key: 'k', ...version };

const reads: readonly (readonly [Operation, object])[] = [
  [accounts.getFunds, simulated],
  [accounts.getPositions, simulated],
  [accounts.getOrders, simulated],
  [accounts.getOrderFee, { ...simulated, order_id_ex_list: ['1'] }],
  [accounts.subAccPush, { acc_id_list: ['7'] }],
  [trade.getBrackets, simulated],
];
const writes: readonly (readonly [Operation, object])[] = [
  [trade.placeOrder, order],
  [trade.placeComboOrder, { c2s: { header, ...combo } }],
  [trade.modifyOrder, { ...simulated, order_id: 3, modify_order_op: 'normal', qty: 100, price: 350 }],
  [trade.modifyOrder, { ...simulated, order_id: 3, modify_order_op: 'enable' }],
  [trade.cancelOrder, { ...simulated, order_id: 3 }],
  [trade.cancelAllOrder, simulated],
  [trade.reconfirmOrder, { acc_id: '7', order_id: 3, reconfirm_op: 'PRICE_ABNORMAL' }],
  [trade.reversePosition, { ...position, price_type: 'MARKET' }],
  [trade.rollPosition, { ...position, target_code: 'HSI2712', target_sec_market: 'HK' }],
  [trade.cancelBracket, { ...simulated, bracket_id: 'none' }],
];

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({
    keys: {
      desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'trade:real'] },
      trader: { scopes: ['trade:simulate', 'trade:real'] },
      narrow: { scopes: ['acc:read', 'trade:simulate'], limits: { allowedMarkets: 'HK' } },
    },
    switches: new Set(['--enable-trading', '--enable-v18-position-writes']),
  });
});
afterEach(() => desk.close());

async function refusal(operation: Operation, body: object, as = 'desk'): Promise<{ code: string; text: string }> {
  const answer = await desk.call(operation, body, { as });
  return answer instanceof Rejection
    ? { code: answer.code, text: answer.message }
    : { code: refusalCode(answer).code, text: answer.retMsg };
}

it.each([...reads, ...writes].map(([operation, body]) => [operation.name, operation, body] as const))('%s', async (_, operation, body) => {
  const { code, text } = await refusal(operation, body);
  expect([code, text]).toEqual(['broker.account', expect.stringMatching(/^unknown account 7: it is not in the list of accounts/)]);
});

it.each(writes.map(([operation, body]) => [operation.name, operation, body] as const))(
  '%s, and a key that may not read accounts is told so too',
  async (_, operation, body) => {
    const { code, text } = await refusal(operation, body, 'trader');
    expect([code, text]).toEqual(['broker.account', expect.stringMatching(/^unknown account 7: it is not in the list of accounts/)]);
  },
);

describe('a combined order with a leg of a market that its account does not trade in', () => {
  const foreign = { c2s: { header: { ...header, acc_id: HK_MARGIN }, ...combo, combo_legs: [leg('00700'), leg('AAPL', 11)] } };

  it.each(['desk', 'trader'])('is previewed as it is placed: %s', async (as) => {
    const [preview, call] = [
      await desk.preview(trade.placeComboOrder, foreign, { as }),
      await desk.call(trade.placeComboOrder, foreign, { as }),
    ];
    expect(call).toMatchObject({ code: 'request.invalid', message: expect.stringContaining('US is not traded in market HK') });
    expect(preview).toEqual(call);
  });

  it('by a key with a list of markets as well', async () => {
    const as = 'narrow';
    const [preview, call] = [
      await desk.preview(trade.placeComboOrder, foreign, { as }),
      await desk.call(trade.placeComboOrder, foreign, { as }),
    ];
    expect(preview).toEqual(call);
    expect(call).toBeInstanceOf(Rejection);
  });
});
