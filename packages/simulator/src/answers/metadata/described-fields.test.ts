import type { DescField, DescMessage } from '@bufbuild/protobuf';
import * as Filter from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import * as Stock from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import * as Warrant from '@svc-gateway/contract/generated/Qot_WarrantScreen_pb';
import * as Own from '@svc-gateway/contract/generated/svc/screen_pb';
import { metadata } from '@svc-gateway/contract/operations';
import { ownScreenFields, screenFieldsOf } from '@svc-gateway/contract/screen-numbers';
import { describe, expect, it } from 'vitest';
import { sharedBackend } from '../../../../../test/support/sim-backend.js';
import { fieldSchema } from '../../../../contract/src/json-schema.js';

const { refusal } = sharedBackend();

/** A number that no field of a screen has. */
const NONE = 9_999;

/** The numbers that a refusal lists: "…; served: 1, 2". */
function listed(text: string): number[] {
  const [, list = ''] = /(?:served|accepted): (.*)$/.exec(text) ?? [];
  return [...list.replace(/\([^)]*\)/g, '').matchAll(/\d+/g)].map(Number);
}

function field(desc: DescMessage, name: string): DescField {
  const found = desc.fields.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${desc.typeName} has no ${name}`);
  return found;
}

/** Descriptions of a field in the reference and in tools. */
function texts(of: DescField): string[] {
  return (['rest', 'mcp'] as const).map((dialect) => {
    const { description, items } = fieldSchema(of, dialect, () => ({}));
    return String(description ?? (items as { description?: string }).description);
  });
}

const described = (of: DescField) => (screenFieldsOf(of) ?? []).map(({ id }) => id);

describe('every number that a screen takes', () => {
  const market = { etf_screen: 1, fund_screen: 1, future_screen: 1, bond_screen: 11 };
  const operations = {
    etf_screen: metadata.etfScreen,
    fund_screen: metadata.fundScreen,
    future_screen: metadata.futureScreen,
    bond_screen: metadata.bondScreen,
  };

  it.each(Object.keys(operations) as (keyof typeof operations)[])('of %s is explained, and sorts where it is said to', async (name) => {
    const ask = { market: market[name], extensionVersion: 1 };
    const accepted = listed(await refusal(operations[name], { ...ask, needFields: [{ fieldId: NONE }] }));
    expect(ownScreenFields[name].map(({ id }) => id)).toEqual(accepted);
    for (const desc of [Own.NeedFieldSchema, Own.FieldFilterSchema, Own.FieldSortSchema, Own.FieldValueSchema]) {
      for (const text of texts(field(desc, 'field_id'))) {
        for (const { id, about } of ownScreenFields[name]) expect(text).toContain(`${id} ${about}`);
        expect(text).toContain('All can be sorted by.');
      }
    }
    for (const { id } of ownScreenFields[name])
      expect(await refusal(operations[name], { ...ask, dataMaxCount: 1, sorts: [{ fieldId: id }] })).toBe('');
  });

  const properties = [
    ['basicProperty', Stock.PropertyBasicSchema, {}],
    ['simpleProperty', Stock.PropertySimpleSchema, {}],
    ['cumulativeProperty', Stock.PropertyCumulativeSchema, {}],
    ['financialProperty', Stock.PropertyFinancialSchema, {}],
    ['indicatorProperty', Stock.PropertyIndicatorSchema, { indicatorParams: [] }],
    ['featuredProperty', Stock.PropertyFeaturedSchema, {}],
    ['brokerProperty', Stock.PropertyBrokerSchema, {}],
    ['optionProperty', Stock.PropertyOptionSchema, {}],
    ['klineShapeProperty', Stock.PropertyKlineShapeSchema, { period: 11 }],
  ] as const;

  it.each(properties)('of stock_screen as %s is explained, and sorts where it is said to', async (name, schema, more) => {
    const accepted = listed(await refusal(metadata.stockScreen, { retrieveList: [{ [name]: { name: NONE, ...more } }] }));
    const of = field(schema, 'name');
    expect(described(of)).toEqual(accepted);
    // Nothing is listed in Canada: what is asked for is read, and not worked out.
    const filterList = [{ simpleFieldQuery: { simpleField: 1, screenValueList: [5n] } }];
    for (const { id, about, isSortable } of screenFieldsOf(of) ?? []) {
      for (const text of texts(of)) expect(text).toContain(`${id} ${about}`);
      const answer = await refusal(metadata.stockScreen, { filterList, sort: { direction: 1, [name]: { ...more, name: id } } });
      expect([id, answer === '']).toEqual([id, isSortable]);
    }
    for (const text of texts(of)) expect(text).toMatch(/All( but [\d, ]+)? can be sorted by\./);
  });

  const position = (fields: object) => ({
    indicatorPositionalQuery: { position: 1, period: 11, firstIndicator: 1, secondIndicator: 11, ...fields },
  });
  const conditions: readonly (readonly [string, DescMessage, string, object])[] = [
    ['simple fields', Stock.QuerySimpleFieldSchema, 'simpleField', { simpleFieldQuery: { simpleField: NONE } }],
    ['first indicators', Stock.QueryIndicatorPositionalSchema, 'firstIndicatorName', position({ firstIndicatorName: NONE })],
    ['second indicators', Stock.QueryIndicatorPositionalSchema, 'secondIndicator', position({ secondIndicator: NONE })],
    ['positions', Stock.QueryIndicatorPositionalSchema, 'position', position({ position: NONE })],
    ['patterns', Stock.QueryIndicatorPatternSchema, 'name', { indicatorPatternQuery: { period: 11, name: NONE } }],
    [
      'shapes',
      Stock.QueryKlineShapeSchema,
      'valueSet',
      { klineShapeQuery: { property: { name: 6200, period: 11 }, valueSet: [BigInt(NONE)] } },
    ],
  ];

  it.each(conditions)('of stock_screen as %s is explained', async (_, schema, name, query) => {
    const of = field(schema, name);
    expect(described(of)).toEqual(listed(await refusal(metadata.stockScreen, { filterList: [query] })));
    for (const { id, about } of screenFieldsOf(of) ?? []) for (const text of texts(of)) expect(text).toContain(`${id} ${about}`);
  });

  it('of warrant_screen is explained, and sorts where it is said to', async () => {
    const accepted = listed(await refusal(metadata.warrantScreen, { marketType: 1, filterList: [{ fieldId: NONE }] }));
    for (const of of [field(Warrant.ScreenGroupSchema, 'fieldId'), field(Warrant.SortSchema, 'sortFieldId')]) {
      expect(described(of)).toEqual(accepted);
      for (const { id, about } of screenFieldsOf(of) ?? []) for (const text of texts(of)) expect(text).toContain(`${id} ${about}`);
      for (const text of texts(of)) expect(text).toContain('All can be sorted by.');
    }
    // Warrants of no market: what is asked for is read, and not worked out.
    for (const sortFieldId of accepted)
      expect(await refusal(metadata.warrantScreen, { marketType: 4, sortList: [{ sortFieldId, direction: 0 }] })).toBe('');
  });

  const filters = [
    ['baseFilterList', Filter.BaseFilterSchema, 'fieldName', {}],
    ['accumulateFilterList', Filter.AccumulateFilterSchema, 'fieldName', { days: 1 }],
    ['financialFilterList', Filter.FinancialFilterSchema, 'fieldName', { quarter: 1 }],
    ['patternFilterList', Filter.PatternFilterSchema, 'fieldName', { klType: 2 }],
    [
      'customIndicatorFilterList',
      Filter.CustomIndicatorFilterSchema,
      'firstFieldName',
      { secondFieldName: 1, relativePosition: 1, klType: 2 },
    ],
  ] as const;

  it.each(filters)('of get_stock_filter in %s is named, with its unit and whether it sorts', async (list, schema, name, more) => {
    const ask = { begin: 0, num: 1, market: 1, [list]: [{ ...more, [name]: NONE }] };
    const accepted = listed(await refusal(metadata.getStockFilter, ask));
    expect(accepted.length).toBeGreaterThan(4);
    const [rest = '', tools = ''] = texts(field(schema, name));
    for (const id of accepted) expect(rest).toMatch(new RegExp(`\\b${id} \\(\\w+\\)`));
    for (const text of [rest, tools]) expect(text).toMatch(/can be sorted by\.$/);
  });
});
