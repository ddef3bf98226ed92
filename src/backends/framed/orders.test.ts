import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { CountingClock } from '../../../test/support/counting-clock.js';
import { ManualClock } from '../../contract/clock.js';
import { trade } from '../../contract/operations/index.js';
import { BackendLost, type ResponseMessage } from '../../gateway/backend.js';
import { Orders } from './orders.js';

it('an order that is looked for is so no more when the daemon stops', async () => {
  const clock = new CountingClock(new ManualClock(Date.UTC(2026, 0, 5)));
  const lost = new BackendLost('the connection was lost');
  let looked: () => void = () => undefined;
  const looking = new Promise<void>((resolve) => {
    looked = resolve;
  });
  const orders = new Orders({
    clock,
    write: () => Promise.reject(lost),
    ask: async ({ messages }) => {
      looked();
      return create(messages.ResponseSchema, { retType: 0, s2c: { orderList: [] } } as Record<string, unknown>) as ResponseMessage;
    },
    whenTrading: async () => true,
  });
  const placed = orders.call(trade.placeOrder, create(trade.placeOrder.messages.C2SSchema), 30_000).catch((thrown: unknown) => thrown);
  await looking;
  orders.stop();
  expect(await placed).toBe(lost);
  expect(clock.armed).toEqual([]);
});
