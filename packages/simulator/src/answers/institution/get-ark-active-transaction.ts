import { create } from '@bufbuild/protobuf';
import {
  ArkActiveTransactionItemSchema,
  type C2S,
  C2SSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetArkActiveTransaction_pb';
import { requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { type Figure, inOrder } from '../../view/standings.js';
import type { Instrument } from '../../world/instrument.js';
import { type ArkChange, arkChange, arkOf, closeOn, daysOfCycle, type Needed, tradedDays } from './ark.js';
import { amount } from './books.js';

const COUNT = { fallback: 50, max: 200 };

/** By `HoldingType`. */
const changes: readonly ArkChange[] = ['increase', 'decrease', 'new', 'sold out'];

interface Row {
  readonly home: Instrument;
  readonly change: ArkChange;
  /** Sum of each day's trades at its close. */
  readonly amount: bigint;
  readonly shares: bigint;
}

const byAmount: Figure<Row> = (row) => Number(row.amount);
/** By `SortField`; 0 is the default. */
const sortFields: readonly Figure<Row>[] = [byAmount, byAmount, ({ shares }) => Number(shares)];

/** Qot_GetArkActiveTransaction: what the ARK funds traded over a cycle of trading days that are over, net; sales are negative. Amounts are at the closes of the days. */
export const getArkActiveTransaction: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches', C2S, S2C> = (
  facts,
  request,
) => {
  const wanted = changes[request.holdingType];
  if (wanted === undefined)
    return new Refusal(`holding_type: unknown ${request.holdingType}; accepted: 0 to ${changes.length - 1}`, 'broker.value');
  const back = daysOfCycle(request.cycleType);
  if (back instanceof Refusal) return back;
  const by = sortFields[request.sortField];
  if (by === undefined) return new Refusal(`sort_field: unknown ${request.sortField}; accepted: 1, 2`, 'broker.value');
  const rows = transactions(facts, tradedDays(facts, back)).filter(({ change }) => change === wanted);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(
    inOrder(rows, by, request.sortDir === 1),
    ({ home }) => home.code,
    { field: 'page', value: request.page, end: '' },
    size,
  );
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    dataList: page.items.map(({ home, amount: money, shares }) =>
      create(ArkActiveTransactionItemSchema, {
        security: facts.listings.of(home).security,
        name: home.name,
        changeAmount: amount(money),
        changeShares: shares,
      }),
    ),
    allCount: rows.length,
    nextPage: page.next,
  });
};

function transactions(facts: Needed, days: readonly string[]): readonly Row[] {
  const ark = arkOf(facts);
  const numbers = days.map(requireDay);
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  return ark.universe.map((home) => {
    const shares = ark.shares(home, last);
    const previous = ark.sharesAsOf(home, first, last);
    const change = arkChange({ shares, previous });
    let money = 0n;
    for (const [index, day] of days.entries()) {
      const traded = index === 0 || change === 'none' ? 0n : ark.change(home, numbers[index - 1] ?? 0, numbers[index] ?? 0);
      if (traded !== 0n) money += traded * closeOn(facts, home, day);
    }
    return { home, change, amount: money, shares: shares - previous };
  });
}
