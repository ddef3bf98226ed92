import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Snapshot } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { metadata, quote } from '@svc-gateway/contract/operations';
import { expect } from 'vitest';
import { type AskedBackend, security } from './sim-backend.js';

/** Plates by other answers than those that are tested: what they hold, and what their members' snapshots say. */

export const named = (one: { readonly market: number; readonly code: string } | undefined) => symbolOf(one!) as string;

/** Every page of a list, none of which is longer than asked for. */
export async function pages<Item>(
  count: number,
  ask: (page: string) => Promise<{ items: readonly Item[]; next: string; allCount: number }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let page = '';
  do {
    const answer = await ask(page);
    expect(answer.items.length).toBeLessThanOrEqual(count);
    items.push(...answer.items);
    page = answer.next;
    if (page === '') expect(items.length).toBe(answer.allCount);
    else expect(answer.items.length).toBe(count);
  } while (page !== '');
  return items;
}

/** In the order of the symbols. */
export async function snapshots({ payload }: AskedBackend, symbols: readonly string[]): Promise<readonly Snapshot[]> {
  if (symbols.length === 0) return [];
  return (await payload(quote.getSnapshot, { securityList: symbols.map(security) })).snapshotList;
}

/** Symbols of the members of a market's plate. */
export async function membersOf({ payload }: AskedBackend, plate: Security): Promise<string[]> {
  const { staticInfoList } = await payload(metadata.getPlateSecurity, { plate });
  return staticInfoList.map(({ basic }) => named(basic!.security));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Market value of companies by their snapshots, each once: at home where that is among them, or at the first of its listings. */
export async function worth(
  fixture: AskedBackend,
  symbols: readonly string[],
  rateOf: (shown: Snapshot) => number = () => 1,
): Promise<number> {
  const { companies, world } = fixture.simulation;
  const chosen = new Map<unknown, string>();
  for (const symbol of symbols) {
    const instrument = world.instrument(symbol)!;
    const issuer = companies.issuer(instrument);
    if (!chosen.has(issuer) || issuer.home === instrument) chosen.set(issuer, symbol);
  }
  const shown = await snapshots(fixture, [...chosen.values()]);
  return sum(
    shown.map((one) => {
      const { equityExData, trustExData, basic } = one;
      const value = equityExData?.issuedMarketVal ?? Number(trustExData!.outstandingUnits) * basic!.curPrice;
      return value * rateOf(one);
    }),
  );
}

/** Percent, from the previous close. */
export const change = ({ basic }: Snapshot) =>
  Math.round(((basic!.curPrice - basic!.lastClosePrice) / basic!.lastClosePrice) * 100_000) / 1000;
