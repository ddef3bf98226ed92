import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE, US, US_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';

const text = { 'x-svc-int64': 'string' };
const inHk = { acc_id: HK_MARGIN, market: HK, code: '00700', qty: 100 };
const inUs = { acc_id: US_MARGIN, market: US, code: 'AAPL', qty: 10 };
/** Far from the market: what rests goes on resting. */
const low = { price: 1 };
const high = { aux_price: 5_000 };
const deep = { aux_price: 1 };
const trail = { trail_type: 1, trail_value: 20 };

/** REST's number, the tools' name, and what such an order needs. */
const types: readonly [number, string, object][] = [
  [1, 'NORMAL', { ...inHk, ...low }],
  [2, 'MARKET', { ...inHk }],
  [5, 'ABSOLUTE_LIMIT', { ...inHk, ...low }],
  [6, 'AUCTION', { ...inHk }],
  [7, 'AUCTION_LIMIT', { ...inHk, ...low }],
  [8, 'SPECIAL_LIMIT', { ...inHk, ...low }],
  [10, 'STOP', { ...inHk, ...high }],
  [11, 'STOP_LIMIT', { ...inHk, ...high, price: 5_000 }],
  [12, 'MARKET_IF_TOUCHED', { ...inUs, ...deep }],
  [13, 'LIMIT_IF_TOUCHED', { ...inUs, ...deep, ...low }],
  [14, 'TRAILING_STOP', { ...inUs, ...trail }],
  [15, 'TRAILING_STOP_LIMIT', { ...inUs, ...trail, trail_spread: 1 }],
  [16, 'TWAP_MARKET', { ...inUs }],
  [17, 'TWAP_LIMIT', { ...inUs, ...low }],
  [18, 'VWAP_MARKET', { ...inUs }],
  [19, 'VWAP_LIMIT', { ...inUs, ...low }],
];

let client: McpClient;
const daemon = TestDaemon.forAll({
  keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } },
  flags: ['--enable-trading', '--sim-clock', 'open'],
});
beforeAll(async () => {
  client = await daemon.mcp('desk');
});

async function listed(id: string, { acc_id, market }: { acc_id: string; market: number }) {
  const { order_list } = await daemon.as('desk').s2c('/api/orders', { acc_id, env: SIMULATE, market }, text);
  return order_list.find(({ order_id_ex }: { order_id_ex: string }) => order_id_ex === id);
}

describe.each(types)('an order of type %i, %s', (type, name, terms) => {
  const { aux_price, trail_type, trail_value, trail_spread } = terms as Record<string, number>;
  const wanted = { order_type: type, ...JSON.parse(JSON.stringify({ aux_price, trail_type, trail_value, trail_spread })) };
  // The trigger of a trailing order follows the market.
  if (trail_type !== undefined) delete wanted.aux_price;

  it('places an order of each type over REST and lists it as it is', async () => {
    const { order_id_ex } = await daemon.as('desk').s2c('/api/order', { ...terms, env: SIMULATE, side: BUY, order_type: type }, text);
    expect(await listed(order_id_ex, terms as typeof inHk)).toMatchObject(wanted);
  });

  it('places an order of each type by its name with a tool, which says how it was understood', async () => {
    const names = { ...terms, market: (terms as typeof inHk).market === HK ? 'HK' : 'US', env: 'simulate', side: 'BUY', order_type: name };
    const { isError, json } = await client.call('svc_place_order', names);
    expect({ isError, json }).toMatchObject({ isError: false, json: { understood: { order_type: name } } });
    expect(await listed(String(json.order_id_ex), terms as typeof inHk)).toMatchObject(wanted);
  });
});
