import { trade } from '@svc-gateway/contract/operations';
import { expect, it } from 'vitest';
import { HK_CASH } from '../../support/accounts.js';
import { ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../../support/gateway.js';
import { McpClient } from '../../support/mcp-client.js';

it('an order that was carried out is answered, also when its key was revoked meanwhile', async () => {
  let gateway: ServedGateway | undefined;
  const backend = new ScriptedBackend((operation, request) => {
    if (operation === trade.placeOrder) gateway?.revoke('bot');
    return succeed(operation, request);
  });
  gateway = await serveGateway({ backend, keys: { bot: { scopes: ['trade:simulate'] } } });
  const client = await McpClient.open(gateway, { way: 'stateless', keyText: gateway.keys.get('bot') });
  const order = { market: 'HK', acc_id: HK_CASH, env: 'simulate', side: 'BUY', symbol: 'HK.00700', qty: 100, price: 300 };
  const placed = await client.call('svc_place_order', order);
  expect(placed).toMatchObject({ isError: false, json: { understood: { side: 'BUY' } } });
  expect(backend.calls.map(({ operation }) => operation)).toContain('place_order');
  await expect(client.call('svc_place_order', order)).rejects.toThrow();
  await client.close();
  await gateway.stop();
});
