import { describe, expect, it } from 'vitest';
import { catalogue } from './declaration-check.js';
import { operation, post } from './declare.js';
import { classOf, fieldsWithin } from './field-classes.js';
import * as QotGetPlateSet from './generated/Qot_GetPlateSet_pb.js';
import * as QotGetReference from './generated/Qot_GetReference_pb.js';
import * as QotGetRT from './generated/Qot_GetRT_pb.js';
import * as TrdGetOrderList from './generated/Trd_GetOrderList_pb.js';
import * as TrdPlaceOrder from './generated/Trd_PlaceOrder_pb.js';
import { operations } from './operations/index.js';
import { anyOf } from './scope.js';
import { symbol } from './shape.js';

const base = {
  name: 'get_new',
  group: 'quote',
  protoId: null,
  scope: anyOf('qot:read'),
  effect: 'read',
  title: 'New',
  summary: 'Something new.',
  tool: null,
  rest: [post('/api/new')],
} as const;

describe('a declaration is refused', () => {
  it('with an unclassified request field', () => {
    expect(() => operation({ ...base, messages: QotGetPlateSet })).toThrow(
      "get_new does not say what fields of its request name: declare classes: { 'Qot_GetPlateSet.C2S': { market: '?', plateSetType: '?' } }",
    );
    expect(() => operation({ ...base, messages: QotGetReference })).toThrow("{ security: 'security', referenceType: '?' }");
    const classes = { 'Qot_GetPlateSet.C2S': { market: 'quote_market', plateSetType: 'none' } } as const;
    expect(operation({ ...base, messages: QotGetPlateSet, classes })).toMatchObject({ reach: 'beyond' });
  });

  it('of an order operation without a valuer', () => {
    // @ts-expect-error: it does not compile either
    expect(() => operation({ ...base, scope: { kind: 'byEnv' }, effect: 'order', messages: TrdPlaceOrder })).toThrow(
      'get_new may change orders and names no valuer of their risk: say in "valuer" who values it',
    );
  });

  it('with a switch that no setting has', () => {
    // @ts-expect-error: it does not compile either
    expect(() => operation({ ...base, messages: QotGetRT, switches: ['--enable-something'] })).toThrow(
      'get_new needs the switch --enable-something, for which there is no setting: add it to contract/switches.ts',
    );
  });

  it('with a caller’s filter on an answer that is not filtered for limited keys', () => {
    expect(() => operation({ ...base, messages: TrdGetOrderList })).toThrow('has a filter, Trd_Common.TrdFilterConditions.codeList');
  });

  it('with filtered lists beside a field that could reveal the omitted entries', () => {
    const reach = [{ list: 'orderList', of: 'traded' }] as const;
    expect(() => operation({ ...base, messages: TrdGetOrderList, reach })).toThrow(
      'get_new does not say what Trd_GetOrderList.S2C.header tells of entries that are left out: name it as "total" or "more"',
    );
    expect(operation({ ...base, messages: TrdGetOrderList, reach, beside: ['header'] })).toMatchObject({ reach });
    expect(() => operation({ ...base, messages: TrdGetOrderList, reach: [{ ...reach[0], total: 'count' }] })).toThrow(
      'S2C has no orderList of traded',
    );
  });

  it('with fields that the message lacks', () => {
    expect(() => operation({ ...base, messages: QotGetRT, shape: [symbol('securityy')] })).toThrow('Qot_GetRT.C2S has no securityy');
    expect(() => operation({ ...base, messages: QotGetRT, unused: ['num'] })).toThrow('Qot_GetRT.C2S has no num');
  });

  it('with the name, the route or the tool of another', () => {
    const one = operation({ ...base, messages: QotGetRT });
    const pairs = [
      [{ ...one, rest: [] }, 'operation get_new is declared twice: by quote.one and by metadata.two; rename one of them'],
      [{ ...one, name: 'get_newer' }, 'route POST /api/new is declared twice'],
    ] as const;
    for (const [two, text] of pairs) expect(() => catalogue({ quote: { one }, metadata: { two } })).toThrow(text);
    const tool = 'svc_get_new';
    const others = { one: { ...one, tool }, two: { ...one, name: 'get_newer', rest: [], tool } };
    expect(() => catalogue({ quote: others })).toThrow('tool svc_get_new is declared twice');
    expect(catalogue({ quote: { one }, metadata: {} })).toEqual([one]);
  });
});

describe('the classes of fields', () => {
  it('are said of every field of every declared request, nested ones too', () => {
    const fields = operations.flatMap(({ name, messages, classes }) =>
      [...fieldsWithin(messages.C2SSchema)].map((field) => [name, field, classOf(field, classes)] as const),
    );
    expect(fields.length).toBeGreaterThan(200);
    const missing = fields.filter(([, , named]) => named === undefined).map(([name, field]) => `${name}: ${field}`);
    expect(missing).toEqual([]);
  });

  it('know every enumeration of markets, however nested, for what it is', () => {
    const named = new Map<string, string | undefined>();
    for (const { messages, classes } of operations) {
      for (const field of fieldsWithin(messages.C2SSchema)) {
        if (!/market|security|acc_?id|^order_?id/i.test(field.name)) continue;
        named.set(`${field.parent.typeName}.${field.name}`, classOf(field, classes));
      }
    }
    const none = [...named].filter(([, named]) => named === 'none').map(([field]) => field);
    expect(none.sort()).toEqual([
      'Qot_Common.QotHeader.securityFirm',
      // Its operation is for no limited key.
      'Qot_GetOptionEventAlert.EventAlertItem.optionMarket',
      'Trd_UnlockTrade.C2S.securityFirm',
      // A session, not a market.
      'svc.account_yield.PriceContext.use_pre_market',
      // Markets of which news is wanted, where a limited key is shown that of its own alone; and whether their list is.
      'svc.latest_news.C2S.include_market_filter',
      'svc.latest_news.C2S.market_filter_list',
      // States of markets, and no markets.
      'svc.wait_for.C2S.market_state_list',
    ]);
  });
});
