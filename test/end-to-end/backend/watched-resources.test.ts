import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../../support/accounts.js';
import type { FaultyBackend } from '../../support/faulty-backend.js';
import type { ServedGateway } from '../../support/gateway.js';
import { McpClient, ways } from '../../support/mcp-client.js';
import { OutageSite, orderPush, REASON, START } from '../../support/outage-site.js';
import { quote, stream } from '../../support/push-fakes.js';
import { until } from '../../support/until.js';

let site: OutageSite;
let backend: FaultyBackend;
let gateway: ServedGateway;
beforeEach(async () => {
  site = await OutageSite.open();
  ({ backend, gateway } = site);
});
afterEach(() => site.close());

describe.each(ways)('resources that are watched by %s', (way) => {
  const uri = 'svc://quote/HK.00700';
  const orders = `svc://orders/${HK_MARGIN}`;
  let client: McpClient;

  beforeEach(async () => {
    client = await McpClient.open(gateway, { way, keyText: gateway.key('desk') });
  });
  afterEach(() => client.close());

  /** Watches resources; resolves when the client is told that they are not watched any more, which only one way says. */
  async function watch(uris: readonly string[]): Promise<{ readonly closed: Promise<unknown> | undefined }> {
    if (way === 'stateless') return client.client.listen({ resourceSubscriptions: [...uris] });
    for (const each of uris) await client.client.subscribeResource({ uri: each });
    return { closed: undefined };
  }

  /** The addresses of which an update came, oldest first. */
  const updated = () =>
    client.notices.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params?.uri);

  it('are to be read again after a gap, those alone whose events were missing', async () => {
    await watch([uri, 'svc://orderbook/HK.00005', orders]);
    backend.lose({ streams: [stream('HK.00700')], accIds: [] }, START - 1000, REASON);
    await backend.restore({ streams: [stream('HK.00700')], accIds: [] });
    site.gathered();
    await until(() => updated().length > 0, 'an update after the gap');
    backend.lose({ streams: [], accIds: 'all' }, START - 1000, REASON);
    await backend.restore({ streams: [], accIds: 'all' });
    site.gathered();
    await until(() => updated().includes(orders), 'an update after the gap of the account');
    expect(updated()).toEqual([uri, orders]);
    if (way === 'stateless')
      expect(client.notices.at(-1)?.params?.push).toMatchObject({ type: 'notify', body: { gap: { reason: REASON } } });
  });

  it('are to be read again when they cannot be restored, and can be watched again', async () => {
    const { closed } = await watch([uri, orders]);
    backend.unavailable.set('HK.00700', 'no right');
    backend.refusedAccounts.add(BigInt(HK_MARGIN));
    await site.outage();
    await until(() => updated().length === 2, 'updates of what has ended');
    await closed;
    backend.unavailable.clear();
    backend.refusedAccounts.clear();
    await watch([uri, orders]);
    expect([[...backend.subscribed], backend.accounts]).toEqual([['HK.00700'], [BigInt(HK_MARGIN)]]);
    backend.push(quote(stream('HK.00700'), 301));
    backend.push(orderPush(5, 0, 100));
    site.gathered();
    await until(() => updated().length === 4, 'updates again');
    expect(updated()).toEqual([uri, orders, uri, orders]);
  });

  it('are refused for as long as they cannot be had', async () => {
    const { closed } = await watch([uri]);
    backend.unavailable.set('HK.00700', 'no right');
    await site.outage();
    await until(() => updated().length === 1, 'an update of what has ended');
    await closed;
    await expect(watch([uri])).rejects.toThrow(/no right/);
  });

  it.each([
    ['svc://orderbook/HK_FUTURE.HSImain', stream('HK.HSImain', 2)],
    ['svc://orderbook/HK.HSImain', stream('HK.HSImain', 2)],
    ['svc://quote/hk.00700', stream('HK.00700')],
    ['svc://quote/CN.600519', stream('SH.600519')],
  ])('are told to have changed by the address that was given: %s', async (given, of) => {
    await watch([given]);
    backend.push(quote(of, 300));
    site.gathered();
    await until(() => updated().length > 0, 'an update');
    expect(updated()).toEqual([given]);
  });

  it('are told to have changed by each address that was given, for as long as one is watched', async () => {
    const others = ['svc://quote/SH.600519', 'svc://quote/CN.600519'];
    await watch(others);
    const event = async (price: number, count: number) => {
      backend.push(quote(stream('SH.600519'), price));
      site.gathered();
      await until(() => updated().length === count, 'updates');
    };
    await event(300, 2);
    expect(updated()).toEqual(others);
    if (way === 'stateless') return;
    await client.client.unsubscribeResource({ uri: 'svc://quote/SH.600519' });
    await event(301, 3);
    expect(updated().at(-1)).toBe('svc://quote/CN.600519');
    await client.client.unsubscribeResource({ uri: 'svc://quote/CN.600519' });
    expect([...backend.subscribed]).toEqual([]);
  });
});
