import { quote } from '@svc-gateway/contract/operations';
import { describe, expect, test } from 'vitest';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';
import type { SecurityKind } from '../../world/index.js';

const simulated = sharedBackend();

async function symbols(request: object): Promise<string[]> {
  const { staticInfoList } = await simulated.payload(quote.getStaticInfo, request);
  return staticInfoList.map(({ basic }) => `${basic!.security!.market}.${basic!.security!.code}`);
}

/** The same of the world, by any condition. */
function expected(wanted: (of: { market: string; kind: SecurityKind }) => boolean): string[] {
  const instruments = simulated.simulation.world.listed().filter(wanted);
  expect(instruments.length).toBeGreaterThan(0);
  return instruments.map(({ symbol, code }) => `${security(symbol).market}.${code}`);
}

describe('without a list', () => {
  test('a market is everything listed there', async () => {
    expect(await symbols({ market: 1 })).toEqual(expected(({ market }) => market === 'HK'));
    expect(await symbols({ market: 22 })).toEqual(expected(({ market }) => market === 'SZ'));
  });

  test.each([
    [3, 'equity'],
    [4, 'etf'],
    [6, 'index'],
    [10, 'future'],
  ] as const)('a market and type %i are its %ss', async (secType, kind) => {
    expect(await symbols({ market: 11, secType })).toEqual(expected((one) => one.market === 'US' && one.kind === kind));
    const { staticInfoList } = await simulated.payload(quote.getStaticInfo, { market: 11, secType });
    expect(new Set(staticInfoList.map(({ basic }) => basic?.secType))).toEqual(new Set([secType]));
  });

  test('a type is that of every market', async () => {
    expect(await symbols({ secType: 6 })).toEqual(expected(({ kind }) => kind === 'index'));
  });

  test('a type that is not listed in a market is an empty list', async () => {
    for (const secType of [2, 8, 9, 12]) expect(await symbols({ market: 1, secType })).toEqual([]);
  });

  test('warrants are listed by their type', async () => {
    const warrants = await symbols({ market: 1, secType: 5 });
    expect(warrants.length).toBeGreaterThan(100);
    expect(await symbols({ secType: 5 })).toEqual(warrants);
    expect(await symbols({ market: 11, secType: 5 })).toEqual([]);
    const { staticInfoList } = await simulated.payload(quote.getStaticInfo, { market: 1, secType: 5 });
    expect(staticInfoList.every(({ basic, warrantExData }) => basic?.secType === 5 && warrantExData?.owner !== undefined)).toBe(true);
  });

  test('the retired market of Hong Kong futures means those alone', async () => {
    expect(await symbols({ market: 2 })).toEqual(expected(({ market, kind }) => market === 'HK' && kind === 'future'));
    expect(await symbols({ market: 2, secType: 3 })).toEqual([]);
  });

  test.each([
    [{}, 'missing field "securityList": one of securityList, market, secType is required'],
    [{ market: 99 }, 'unknown quote market 99; accepted: 1 (HK), 11 (US)'],
    [{ market: 1, secType: 13 }, 'unknown sec_type 13; accepted: 1 (BOND)'],
  ])('%j is refused', async (request, message) => {
    expect(await simulated.refusal(quote.getStaticInfo, request)).toContain(message);
  });
});

test('a list is answered in its order, and passes everything else over', async () => {
  const securityList = ['US.AAPL', 'HK.HSImain', 'HK.00700'].map(security);
  const list = ['11.AAPL', '1.HSImain', '1.00700'];
  expect(await symbols({ securityList })).toEqual(list);
  expect(await symbols({ securityList, market: 1, secType: 6 })).toEqual(list);
  expect(await symbols({ securityList, market: 99, secType: 99 })).toEqual(list);
});
