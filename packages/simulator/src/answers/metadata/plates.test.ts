import { listAccepted, plateSort } from '@svc-gateway/contract/enums';
import { SortFieldSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { metadata, quote } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { named } from '../../../../../test/support/plate-views.js';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar' });

async function plates(market: number, plateSetType = 0) {
  return (await simulated.payload(metadata.listPlates, { market, plateSetType })).plateInfoList;
}

async function members(plate: string, fields: object = {}) {
  const { staticInfoList } = await simulated.payload(metadata.getPlateSecurity, { plate: security(plate), ...fields });
  return staticInfoList.map(({ basic }) => named(basic?.security));
}

describe('plates of a market', () => {
  it.each([1, 11, 21, 22, 31, 41, 61])('market %i: the kinds make up all, each plate once', async (market) => {
    const all = (await plates(market)).map(({ plate }) => named(plate));
    const kinds = await Promise.all([1, 2, 3].map((kind) => plates(market, kind)));
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(kinds.flat().map(({ plate }) => named(plate)))).toEqual(new Set(all));
    expect(kinds.flat()).toHaveLength(all.length);
  });

  it.each([1, 11, 21, 22, 31, 41, 61])('market %i: every plate that is listed has members', async (market) => {
    const listed = (await plates(market)).map(({ plate }) => named(plate));
    expect(listed.length).toBeGreaterThan(0);
    for (const plate of listed) expect([plate, (await members(plate)).length]).not.toEqual([plate, 0]);
  });

  it('refuses markets and types that are none', async () => {
    expect(await simulated.refusal(metadata.listPlates, { market: 99, plateSetType: 0 })).toContain('invalid market 99');
    expect(await simulated.refusal(metadata.listPlates, { market: 1, plateSetType: 4 })).toBe(
      'unknown plate_set_type 4; accepted: 0 (ALL), 1 (INDUSTRY), 2 (REGION), 3 (CONCEPT)',
    );
  });
});

describe('members', () => {
  it('belong to a plate exactly when the plate is one of theirs', async () => {
    const { world } = simulated.simulation;
    const stocks = [...world.listed({ market: 'HK', kind: 'equity' }), ...world.listed({ market: 'HK', kind: 'trust' })].map(
      ({ symbol }) => symbol,
    );
    const { ownerPlateList } = await simulated.payload(metadata.getOwnerPlate, { securityList: stocks.map(security) });
    const byOwner = new Map<string, Set<string>>();
    for (const { security: owner, plateInfoList } of ownerPlateList) {
      for (const { plate } of plateInfoList) byOwner.set(named(plate), (byOwner.get(named(plate)) ?? new Set()).add(named(owner)));
    }
    for (const { plate } of await plates(1)) expect(new Set(await members(named(plate)))).toEqual(byOwner.get(named(plate)) ?? new Set());
  });

  it('are in one industry each, and in the right one', async () => {
    const industries = await plates(11, 1);
    const lists = await Promise.all(industries.map(({ plate }) => members(named(plate))));
    const all = lists.flat();
    expect(new Set(all).size).toBe(all.length);
    const semiconductors = industries.findIndex(({ name }) => name === 'Semiconductors');
    expect(lists[semiconductors]).toEqual(expect.arrayContaining(['US.NVDA', 'US.TSM', 'US.ASML']));
  });

  it.each([
    [2, 'curPrice'],
    [4, 'changeRate'],
    [10, 'volume'],
    [11, 'turnover'],
    [30, 'amplitude'],
  ] as const)('are sorted by field %i as their quotes are', async (sortField, name) => {
    const plate = 'US.LIST1015';
    const down = await members(plate, { sortField, ascend: false });
    const { basicQotList } = await simulated.payload(quote.getQuote, { securityList: down.map(security) });
    const figures = basicQotList.map((basic) =>
      name === 'changeRate' ? Math.round(((basic.curPrice - basic.lastClosePrice) / basic.lastClosePrice) * 1e5) : Number(basic[name]),
    );
    expect(figures).toEqual([...figures].sort((a, b) => b - a));
    expect([...(await members(plate, { sortField }))].sort()).toEqual([...down].sort());
  });

  it('are sorted by every field that is declared, and by no other', async () => {
    const declared = new Set(plateSort.members.map((member) => member.public));
    for (const { number } of SortFieldSchema.values) {
      const refusal = await simulated.refusal(metadata.getPlateSecurity, { plate: { market: 1, code: 'LIST1001' }, sortField: number });
      expect([number, refusal === '']).toEqual([number, declared.has(number)]);
      if (refusal !== '') expect(refusal).toContain(`accepted: ${listAccepted(plateSort, 'rest')}`);
    }
  });

  it('come by code unless asked otherwise', async () => {
    const up = await members('HK.LIST1001');
    expect(up).toEqual([...up].sort());
    expect(await members('HK.LIST1001', { ascend: false })).toEqual([...up].reverse());
    expect(up).toEqual(await members('HK.list1001'));
  });

  it.each([
    [{ plate: { market: 1, code: 'LIST9999' } }, 'unknown plate HK.LIST9999; plates of the market look like HK.LIST1001'],
    [{ plate: { market: 5, code: 'LIST1001' } }, 'plate: invalid market 5'],
    [
      { plate: { market: 1, code: 'LIST1001' }, sortField: 13 },
      'sort_field: 13 does not sort the members of a plate; accepted: 1 (Code), 2 (CurPrice)',
    ],
  ])('refuses %j', async (request, message) => {
    expect(await simulated.refusal(metadata.getPlateSecurity, request)).toContain(message);
  });
});

it('indices, funds and contracts belong to no plate', async () => {
  const { ownerPlateList } = await simulated.payload(metadata.getOwnerPlate, {
    securityList: ['HK.800000', 'HK.02800', 'HK.HSImain'].map(security),
  });
  expect(ownerPlateList.map(({ plateInfoList }) => plateInfoList)).toEqual([[], [], []]);
});

it('no more than 200 symbols are looked up at once', async () => {
  const securityList = Array.from({ length: 201 }, () => security('HK.00700'));
  expect(await simulated.refusal(metadata.getOwnerPlate, { securityList })).toBe('201 symbols: at most 200 in one request');
});

describe('a plate as an index', () => {
  it.each(['HK.LIST1001', 'US.LIST1015', 'SH.LIST1001', 'HK.BK1001', 'US.LIST2001'])('%s: trades what its members trade', async (plate) => {
    const symbols = await members(plate);
    const quotes = await simulated.payload(quote.getQuote, { securityList: symbols.map(security) });
    const whole = await simulated.payload(quote.getQuote, { securityList: [security(plate)] });
    const sum = quotes.basicQotList.reduce((total, { turnover }) => total + turnover, 0);
    expect(Math.abs((whole.basicQotList[0]?.turnover ?? 0) - sum)).toBeLessThan(1e-9 * sum + 0.01);
  });
});
