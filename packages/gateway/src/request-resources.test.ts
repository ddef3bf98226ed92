import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import type { FieldClasses } from '@svc-gateway/contract/field-classes';
import * as QotGetPlateSet from '@svc-gateway/contract/generated/Qot_GetPlateSet_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { describe, expect, it } from 'vitest';
import { resourcesOf } from './request-resources.js';

/** RequestResources of requests of this type, given these classes of its fields. */
function subjects<D extends DescMessage>(desc: D, classes: FieldClasses, request: MessageInitShape<D>) {
  return resourcesOf({ messages: { C2SSchema: desc }, classes } as unknown as Operation, create(desc, request));
}

describe('what a request names', () => {
  it('is found in lists of lists: securities', () => {
    const list = [
      { market: 1, code: '00700' },
      { market: 11, code: 'AAPL' },
    ];
    const counts = { subType: 1, isOrderBookDetail: false };
    const request = {
      connSubInfoList: [{ usedQuota: 1, isOwnConnData: true, subInfoList: list.map((one) => ({ ...counts, securityList: [one] })) }],
    };
    const classes: FieldClasses = {
      'Qot_GetSubInfo.S2C': { totalUsedQuota: 'none', remainQuota: 'none' },
      'Qot_Common.ConnSubInfo': { usedQuota: 'none', isOwnConnData: 'none', securityFirm: 'none' },
      'Qot_Common.SubInfo': { subType: 'none', securityList: 'security', session: 'none', isOrderBookDetail: 'none', extendedTime: 'none' },
    };
    const found = subjects(QotGetSubInfo.S2CSchema, withOthers(QotGetSubInfo.S2CSchema, classes), request as never);
    expect(found.securities).toMatchObject(list);
  });

  it('is found in a list of numbers inside a list of messages: markets', () => {
    const classes = withOthers(TrdGetAccList.S2CSchema, { 'Trd_Common.TrdAcc': { trdMarketAuthList: 'trading_market', accID: 'account' } });
    const request = {
      accList: [
        { accID: 5n, trdEnv: 0, trdMarketAuthList: [1, 2] },
        { accID: 6n, trdEnv: 0, trdMarketAuthList: [] },
      ],
    };
    const { markets, accIds } = subjects(TrdGetAccList.S2CSchema, classes, request as never);
    // A list of none is every market.
    expect(markets.map(({ label }) => label)).toEqual(['HK', 'US', 'every market']);
    expect(accIds).toEqual([5n, 6n]);
  });

  it('is every market where one is left open, and where it is 0', () => {
    const classes: FieldClasses = { 'Qot_GetPlateSet.C2S': { market: 'quote_market', plateSetType: 'none' } };
    for (const request of [{ plateSetType: 1 }, { plateSetType: 1, market: 0 }]) {
      expect(subjects(QotGetPlateSet.C2SSchema, classes, request).markets).toMatchObject([{ every: true, whole: [], parts: [] }]);
    }
    expect(subjects(QotGetPlateSet.C2SSchema, classes, { plateSetType: 1, market: 11 }).markets).toMatchObject([{ whole: ['US'] }]);
    expect(subjects(QotGetPlateSet.C2SSchema, classes, { plateSetType: 1, market: 999 }).markets).toMatchObject([
      { label: '999', parts: [] },
    ]);
  });

  it('is not guessed: a field without a class is a defect', () => {
    expect(() => subjects(QotGetPlateSet.C2SSchema, {}, { plateSetType: 1, market: 1 })).toThrow('Qot_GetPlateSet.C2S.market has no class');
  });
});

/** The classes with `none` for every other field of the message and of those inside. */
function withOthers(desc: DescMessage, classes: FieldClasses, seen: Record<string, Record<string, 'none'>> = {}): FieldClasses {
  if (seen[desc.typeName] === undefined) {
    seen[desc.typeName] = Object.fromEntries(desc.fields.map(({ name }) => [name, 'none']));
    for (const field of desc.fields) if (field.message !== undefined) withOthers(field.message, {}, seen);
  }
  return Object.fromEntries(Object.entries(seen).map(([type, fields]) => [type, { ...fields, ...classes[type] }]));
}
