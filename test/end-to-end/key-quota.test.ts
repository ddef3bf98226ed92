import { subscription, system } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { afterEach, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/desk.js';

/** The subscription quota that a caller is told is the one at which it is refused. */

let desk: Desk;
afterEach(() => desk.close());

it.each([3, undefined])('with %s subscriptions per key', async (subscriptions) => {
  desk = await openDesk({
    keys: { desk: { scopes: ['qot:read', 'acc:read'] } },
    bounds: subscriptions === undefined ? {} : { subscriptions },
  });
  const quota = subscriptions ?? 500;
  expect(await desk.payload(system.getUserInfo, {})).toMatchObject({ subQuota: quota });
  expect(await desk.payload(system.getQuoteCapability, {})).toMatchObject({ subQuota: quota });
  if (subscriptions === undefined) return;
  const subscribe = (symbols: string[]) => desk.call(subscription.subscribe, { symbols, sub_types: [1] });
  expect(await subscribe(['HK.00700', 'HK.00005', 'HK.00388'])).toMatchObject({ retType: 0 });
  const refused = await subscribe(['HK.00001']);
  expect(refused instanceof Rejection ? refused.message : refused.retMsg).toContain(`of ${quota} in use`);
});
