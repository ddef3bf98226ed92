import { fromJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Group } from '../../../src/contract/operation.js';
import { account, operations } from '../../../src/contract/operations/index.js';
import type { Caller } from '../../../src/gateway/index.js';
import { type Desk, openDesk } from '../../support/desk.js';
import { sampleRequest } from '../../support/sample-request.js';

const scopes = ['qot:read', 'acc:read', 'admin'] as const;
/** Orders and fills are read after the brokerage's journal, which is on disk: in their own time. */
/** Lists over a market are put together in slices, so that none holds the others up. */
const sliced: ReadonlySet<Group> = new Set<Group>(['metadata', 'derivatives', 'kline_pattern', 'calendar', 'ranking', 'user_state']);
const journalled = new Set(['get_orders', 'get_deals', 'get_history_orders', 'get_history_deals', 'get_order_fee']);

let desk: Desk;
let caller: Caller;
beforeAll(async () => {
  desk = await openDesk({ keys: { desk: { scopes } } });
  caller = desk.callerOf({ as: 'desk', iface: 'grpc' });
});
afterAll(() => desk.close());

it.each(
  operations
    .filter(({ effect, group, name }) => effect === 'read' && !journalled.has(name) && !sliced.has(group))
    .map((operation) => [operation.name, operation]),
)('%s is answered in its turn where the backend answers at once', async (_, operation) => {
  const request = fromJson(operation.messages.C2SSchema, sampleRequest(operation, operations) as never);
  const ask = () => desk.gateway.call(operation, caller, () => request);
  // The first one may have work to do that later ones find done: a quota to write down, a year's prices to look through.
  expect(await ask()).toMatchObject({ retType: expect.any(Number) });
  const answer = ask();
  expect(answer).not.toBeInstanceOf(Promise);
  expect(answer).toMatchObject({ retType: expect.any(Number) });
});

it('the account list that a card number is looked for in is there in the turn', () => {
  const found = desk.gateway.accountsFor(account.getFunds, caller);
  expect(found).not.toBeInstanceOf(Promise);
  expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ trdEnv: 0 })]));
});
