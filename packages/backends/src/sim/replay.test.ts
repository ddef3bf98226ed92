import { toJsonString } from '@bufbuild/protobuf';
import { TrdMarket, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { trade } from '@svc-gateway/contract/operations';
import type { PushEvent } from '@svc-gateway/gateway/backend';
import { expect, it } from 'vitest';
import { call, startFixture } from '../../../../test/support/sim-backend.js';
import { pushMessagesOf } from '../../../gateway/src/push/push-messages.js';

const ACCOUNT = 281756478396547001n;
const STREAMS = [1, 2, 4, 11].map((subType) => ({ symbol: 'HK.00700', subType, rehabType: 0, extendedTime: false }));
const STEP_MS = 250;
const STEPS = 240;

/** A minute of a session with orders of its own, as the text of everything that was pushed. */
async function session(seed: string): Promise<string[]> {
  const { backend, clock, pushes } = await startFixture({ seed });
  await backend.subscribe(STREAMS);
  await backend.subscribeAccounts([ACCOUNT]);
  const header = { trdEnv: 0, accID: ACCOUNT, trdMarket: TrdMarket.TrdMarket_HK };
  for (let step = 0; step < STEPS; step++) {
    clock.advance(STEP_MS);
    // Writes settle in turns of their own; the clock waits for them, as time does.
    await new Promise((resolve) => setImmediate(resolve));
    if (step % 20 !== 0) continue;
    const packetID = { connID: 1n, serialNo: step + 1 };
    const order = step % 40 === 0 ? { orderType: 2 } : { orderType: 1, price: 880 };
    await call(backend, trade.placeOrder, {
      packetID,
      header,
      trdSide: TrdSide.TrdSide_Buy,
      code: '00700',
      secMarket: 1,
      qty: 300,
      ...order,
    });
  }
  await backend.stop();
  return pushes.map(textOf);
}

function textOf(event: PushEvent): string {
  return toJsonString(pushMessagesOf(event.protoId).ResponseSchema, event.message);
}

it('one seed replays a whole session: quotes, books, trades, orders and fills', async () => {
  const [first, again, other] = [await session('one'), await session('one'), await session('two')];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  for (const field of ['"basicQotList"', '"orderBookAskList"', '"tickerList"', '"klList"', '"orderFill"', '"orderStatus":11']) {
    expect(first.some((text) => text.includes(field))).toBe(true);
  }
});
