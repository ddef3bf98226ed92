import { create, type Message } from '@bufbuild/protobuf';
import { quoteMarketNumbers } from '@svc-gateway/contract/enums';
import type { FieldClass } from '@svc-gateway/contract/field-classes';
import * as QotGetPlateSet from '@svc-gateway/contract/generated/Qot_GetPlateSet_pb';
import { OrderSchema, TrdAccSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations as declared } from '@svc-gateway/contract/operations';
import { anyOf, possibleScopes, type Scope, scopes } from '@svc-gateway/contract/scope';
import { choice, integer } from '@svc-gateway/contract/shape';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operation, post } from '../../packages/contract/src/declare.js';
import { HK_CASH, HK_MARGIN } from '../support/accounts.js';
import { type Attempt, Doors, type Verdict } from '../support/doors.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../support/gateway.js';
import { minimalMessage } from '../support/revealing-answers.js';
import { classesSet, namingRequest } from '../support/spellings.js';

/**
 * Every declared operation, asked for by keys that may not have it, over every interface and in every spelling: what must
 * be refused is. All of it comes from the declarations, so that an operation is in here as soon as it is declared; two that
 * are declared here alone show it.
 */
const plateSets = {
  group: 'metadata',
  scope: anyOf('qot:read'),
  effect: 'read',
  messages: QotGetPlateSet,
  classes: { 'Qot_GetPlateSet.C2S': { market: 'quote_market', plateSetType: 'none' } },
  shape: [choice('market', quoteMarketNumbers), integer('plateSetType', { as: 'type' })],
  title: 'Plate sets',
  summary: 'The plates of a market.',
  guide: 'For a test.',
} as const;
const bounded = operation({ ...plateSets, name: 'get_plate_sets', reach: 'request', protoId: 3998, rest: [post('/api/plate-sets')] });
/** Its author has not said how a limited key is held. */
const unsaid = operation({ ...plateSets, name: 'get_more_plate_sets', protoId: 3999, rest: [post('/api/more-plate-sets')] });
const operations = [...declared, bounded, unsaid];

/** One key for each set of scopes that operations ask for: it has all the others. */
const strangers = new Map<string, readonly Scope[]>();
for (const each of operations)
  strangers.set(
    strangerTo(each),
    scopes.filter((scope) => !acceptedBy(each).includes(scope)),
  );

function acceptedBy({ scope }: Operation): readonly Scope[] {
  return possibleScopes(scope);
}

function strangerTo(each: Operation): string {
  return `all-but-${acceptedBy(each).join('-').replaceAll(':', '_')}`;
}

/** Requests name HK.00700, HK, a forex broker and HK_MARGIN; each of these keys may use something else alone. */
const narrow = {
  markets: { allowedMarkets: 'US' },
  symbols: { allowedSymbols: 'US.AAPL' },
  accounts: { allowedAccIds: HK_CASH },
} as const;
const wide = { allowedMarkets: 'HK,FX', allowedAccIds: HK_MARGIN };

/** Answers everything, with what messages require and nothing more; the orders that there are, are of HK.00700. */
class AnsweringBackend extends ScriptedBackend {
  constructor() {
    super(({ messages, name }) => {
      const s2c = minimalMessage(messages.S2CSchema) as Message & { orderList?: Message[]; accList?: Message[] };
      if (name === 'list_accounts')
        s2c.accList?.push(Object.assign(minimalMessage(TrdAccSchema), { accID: BigInt(HK_MARGIN), trdMarketAuthList: [1] }));
      if (name === 'get_orders' || name === 'get_history_orders') s2c.orderList?.push(hongKongOrder());
      return create(messages.ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
    });
  }

  override async subscribe(): Promise<ResponseMessage> {
    return create(QotGetPlateSet.ResponseSchema, { retType: 0 }) as ResponseMessage;
  }

  override async subscribeAccounts(): Promise<ResponseMessage> {
    return this.subscribe();
  }
}

function hongKongOrder(): Message {
  return Object.assign(minimalMessage(OrderSchema), {
    orderID: 1n,
    orderIDEx: '00700',
    code: '00700',
    trdSide: 1,
    orderType: 1,
    secMarket: 1,
    trdMarket: 1,
  });
}

/** Expected answer to a narrow key whose request names subjects of these classes. */
function expectedOf({ effect, reach }: Operation, kind: keyof typeof narrow, named: ReadonlySet<FieldClass>): Verdict {
  const names = (...classes: readonly FieldClass[]) => classes.some((each) => named.has(each));
  switch (kind) {
    case 'accounts':
      return names('account') ? 'forbidden' : 'served';
    case 'markets':
      return reach === 'beyond' ||
        names(
          'security',
          'plate',
          'stock_id',
          'traded_code',
          'order',
          'quote_market',
          'stock_market',
          'trading_market',
          'calendar',
          'forex_broker',
          'forex',
        )
        ? 'limited'
        : 'served';
    case 'symbols': {
      // A list that is filtered shows what the key may see of a market.
      const whole = names('quote_market', 'stock_market') && !names('security') && typeof reach === 'string';
      // A cancel is held by accounts and markets alone.
      const order = names('order') && (effect === 'read' || effect === 'order');
      return reach === 'beyond' || whole || order || names('security', 'stock_id', 'traded_code') ? 'limited' : 'served';
    }
  }
}

let served: ServedGateway;
const doors = new Map<string, Doors>();
beforeAll(async () => {
  const narrowKeys = Object.entries(narrow).map(([id, limits]) => [id, { scopes, limits, sdk: true }]);
  const strangerKeys = [...strangers].map(([id, held]) => [id, { scopes: held, sdk: true }]);
  const keys = Object.fromEntries([...narrowKeys, ...strangerKeys, ['wide', { scopes, limits: wide, sdk: true }]]);
  served = await serveGateway({ backend: new AnsweringBackend(), keys, operations });
  const grpc = served.grpc();
  for (const id of Object.keys(keys)) doors.set(id, await Doors.open(served, id, grpc, operations));
});
afterAll(async () => {
  for (const each of doors.values()) await each.close();
  await served.stop();
});

/** Attempts with an unexpected verdict: `key: way: verdict`. */
async function surprises(each: Operation, key: string, isExpected: (verdict: Verdict, attempt: Attempt) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const attempt of doors.get(key)?.attempts(each, namingRequest(each, operations)) ?? []) {
    const verdict = await attempt.ask();
    if (!isExpected(verdict, attempt)) found.push(`${key}: ${attempt.way}: ${verdict}`);
  }
  return found;
}

describe.each(operations.map((each) => [each.name, each] as const))('%s', (_, each) => {
  const named = classesSet(each, namingRequest(each, operations));

  it('is served to a key of what it names, in every spelling', async () => {
    const isServed = (verdict: Verdict) =>
      verdict !== 'forbidden' && verdict !== 'limited' && !verdict.startsWith('request.') && !/^4/.test(verdict);
    // There is no such position: position-orders.test.ts serves these.
    if (each.valuer === 'position') return;
    // Operations that reach beyond their request are refused to every limited key, and so is a stock by number, which no list can name.
    const isExpected = each.reach === 'beyond' || named.has('stock_id') ? (verdict: Verdict) => verdict === 'limited' : isServed;
    expect(await surprises(each, 'wide', isExpected)).toEqual([]);
  });

  it.each(Object.keys(narrow) as (keyof typeof narrow)[])('is held by a list of %s', async (kind) => {
    const expected = expectedOf(each, kind, named);
    // Clients of the public protocol are asked first whether they have subscribed.
    const isExpected = (verdict: Verdict, { way }: Attempt) =>
      expected === 'served'
        ? verdict !== 'limited' && verdict !== 'forbidden'
        : verdict === expected || (way.startsWith('core') && verdict === 'not_subscribed');
    expect(await surprises(each, kind, isExpected)).toEqual([]);
  });

  it('is refused without its scope', async () => {
    expect(await surprises(each, strangerTo(each), (verdict) => verdict === 'forbidden')).toEqual([]);
  });
});
