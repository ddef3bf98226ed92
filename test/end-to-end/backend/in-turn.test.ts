import { fromJson } from '@bufbuild/protobuf';
import type { Group } from '@svc-gateway/contract/operation';
import { account, operations } from '@svc-gateway/contract/operations';
import { switches } from '@svc-gateway/contract/switches';
import type { Caller } from '@svc-gateway/gateway';
import { Turn } from '@svc-gateway/simulator/pace';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Desk, openDesk } from '../../support/desk.js';
import { sampleRequest } from '../../support/sample-request.js';

const scopes = ['qot:read', 'acc:read', 'admin'] as const;
/** Lists over a market are put together in slices, so that none holds the others up. */
const sliced: ReadonlySet<Group> = new Set<Group>([
  'metadata',
  'derivatives',
  'kline_pattern',
  'calendar',
  'ranking',
  'research',
  'institution',
  'industry',
  'extension',
  'news',
  'user_state',
]);
/** Orders, fills and movements of cash are read after the brokerage's journal, which is on disk: in their own time. */
const journalled = [
  ...['get_orders', 'get_deals', 'get_history_orders', 'get_history_deals', 'get_order_fee'],
  ...['get_flow_summary', 'get_acc_cash_flow', 'get_cash_log', 'get_cash_detail'],
  ...['get_return_calendar', 'get_yield_trend', 'get_position_corporate_actions'],
];
/** They wait, ask for exchange rates first, or read from the disk. */
const inOwnTime: ReadonlySet<string> = new Set(['wait_for', 'whoami', ...journalled]);

let desk: Desk;
let caller: Caller;
beforeAll(async () => {
  // However slow the machine is, a turn lasts as long as its work.
  vi.spyOn(Turn.prototype, 'pause').mockReturnValue(undefined);
  desk = await openDesk({ keys: { desk: { scopes } }, switches: new Set(switches) });
  caller = desk.callerOf({ as: 'desk', iface: 'grpc' });
});
afterAll(async () => {
  await desk.close();
  vi.restoreAllMocks();
});

it.each(
  operations
    .filter(({ effect, group, name }) => effect === 'read' && !inOwnTime.has(name) && !sliced.has(group))
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
