import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUY, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { KeyWish } from '../support/keys.js';
import { acknowledgedId, KeepAliveLine, refusalCode } from './load.js';

const LOT = 400;
const keyIds = ['one', 'two', 'three'] as const;
type KeyId = (typeof keyIds)[number];

/** In lots at one price, so that values can be compared in whole numbers. */
interface Caps {
  readonly order: number | undefined;
  readonly day: number | undefined;
  readonly rate: number | undefined;
}

interface Wish {
  readonly key: KeyId;
  readonly lots: number;
}

const PRICE = 20;
const LOT_VALUE = LOT * PRICE;
const caps = (most: number) =>
  fc.record<Caps>({
    order: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    day: fc.option(fc.integer({ min: 1, max: most }), { nil: undefined }),
    rate: fc.option(fc.integer({ min: 0, max: most }), { nil: undefined }),
  });

const worlds = fc.record({
  flags: caps(40),
  keys: fc.record({ one: caps(20), two: caps(20), three: caps(20) }),
  wishes: fc.array(fc.record({ key: fc.constantFrom(...keyIds), lots: fc.integer({ min: 1, max: 7 }) }), { minLength: 8, maxLength: 40 }),
  connections: fc.integer({ min: 2, max: 12 }),
});

const text = (lots: number) => String(lots * LOT_VALUE);

function keyWish({ order, day, rate }: Caps): KeyWish {
  return {
    scopes: ['qot:read', 'acc:read', 'trade:simulate'],
    limits: {
      ...(order === undefined ? {} : { maxOrderValue: text(order) }),
      ...(day === undefined ? {} : { maxDailyValue: text(day) }),
      ...(rate === undefined ? {} : { maxOrdersPerMinute: String(rate) }),
    },
  };
}

function flagsOf({ order, day, rate }: Caps): string[] {
  return [
    '--enable-trading',
    ...(order === undefined ? [] : ['--max-order-value', text(order)]),
    ...(day === undefined ? [] : ['--max-daily-value', text(day)]),
    ...(rate === undefined ? [] : ['--max-orders-per-minute', String(rate)]),
  ];
}

const sum = (wishes: readonly Wish[]) => wishes.reduce((total, { lots }) => total + lots, 0);

describe('concurrent orders of several keys over REST', () => {
  it('pass no cap of a key or of the daemon, and are refused for a cap only', async () => {
    const seen = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(worlds, async ({ flags, keys, wishes, connections }) => {
        const daemon = await TestDaemon.start<KeyId>({
          keys: { one: keyWish(keys.one), two: keyWish(keys.two), three: keyWish(keys.three) },
          flags: flagsOf(flags),
        });
        try {
          const { accepted, refused } = await placeAll(daemon, wishes, connections);
          expect(accepted.length + refused.length).toBe(wishes.length);
          const holders = [
            { caps: flags, own: () => true },
            ...keyIds.map((id) => ({ caps: keys[id], own: ({ key }: Wish) => key === id })),
          ];
          for (const {
            caps: { order, day, rate },
            own,
          } of holders) {
            const mine = accepted.filter(own);
            if (order !== undefined) expect(Math.max(0, ...mine.map(({ lots }) => lots))).toBeLessThanOrEqual(order);
            if (day !== undefined) expect(sum(mine)).toBeLessThanOrEqual(day);
            if (rate !== undefined) expect(mine.length).toBeLessThanOrEqual(rate);
          }
          for (const { wish, code } of refused) {
            seen.add(code);
            const held = holders.filter(({ own }) => own(wish));
            // Nothing is given back here, so that what was in the way then is in the way at the end.
            const explained = {
              'limit.order_value': held.some(({ caps: { order = Infinity } }) => wish.lots > order),
              'limit.daily_value': held.some(({ caps: { day = Infinity }, own }) => sum(accepted.filter(own)) + wish.lots > day),
              // A slot is used up by an order that another gate refuses.
              'limit.rate': held.some(({ caps: { rate = Infinity }, own }) => wishes.filter(own).length > rate),
            }[code ?? ''];
            expect(explained, `${code} of ${JSON.stringify(wish)}`).toBe(true);
          }
        } finally {
          await daemon.stop();
        }
      }),
      { numRuns: 20 },
    );
    expect([...seen].sort()).toEqual(['limit.daily_value', 'limit.order_value', 'limit.rate']);
  });
});

async function placeAll(daemon: TestDaemon<KeyId>, wishes: readonly Wish[], connections: number) {
  const accepted: Wish[] = [];
  const refused: { wish: Wish; code: string | undefined }[] = [];
  const lines = Array.from({ length: connections }, () => ({
    one: new KeepAliveLine(daemon, daemon.keys.one),
    two: new KeepAliveLine(daemon, daemon.keys.two),
    three: new KeepAliveLine(daemon, daemon.keys.three),
  }));
  await Promise.all(
    wishes.map(async (wish, index) => {
      const body = {
        acc_id: HK_MARGIN,
        env: SIMULATE,
        symbol: 'HK.00005',
        side: BUY,
        order_type: NORMAL,
        price: PRICE,
        qty: wish.lots * LOT,
      };
      const answer = await lines[index % connections]![wish.key].post('/api/order', body);
      if (acknowledgedId({ answer }) !== undefined) accepted.push(wish);
      else refused.push({ wish, code: refusalCode({ answer }) });
    }),
  );
  for (const line of lines) for (const id of keyIds) line[id].close();
  return { accepted, refused };
}
