import { create, type Message } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { KL_TYPE_4MIN } from '@svc-gateway/contract/enums';
import type { KLine } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as KlC2SSchema } from '@svc-gateway/contract/generated/Qot_GetKL_pb';
import { C2SSchema as HistoryC2SSchema } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import type { Operation, PayloadOf } from '@svc-gateway/contract/operation';
import { quote } from '@svc-gateway/contract/operations';
import { localDateTime } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { context, FIXTURE_TIME, payload, security, startFixture } from '../../../test/support/sim-backend.js';
import type { Backend } from './backend.js';
import type { Iface } from './index.js';
import { historyKlineWith4Minutes, klineWith4Minutes } from './kline-4min.js';
import type { LocalCall } from './local/index.js';

const zones = { 'HK.00700': 'Asia/Hong_Kong', 'US.AAPL': 'America/New_York', 'SG.D05': 'Asia/Singapore' };
const symbols = Object.keys(zones) as (keyof typeof zones)[];
const ALL_HOURS = 3;

/** The bars as the gateway answers them. */
async function answered<O extends Operation>(
  backend: Backend,
  operation: O,
  request: Message,
  iface: Iface = 'rest',
): Promise<PayloadOf<O>> {
  const local = operation.name === quote.getKline.name ? klineWith4Minutes(backend) : historyKlineWith4Minutes(backend);
  const response = (await local.answer({ operation, request, context, caller: { iface } } as unknown as LocalCall)) as {
    s2c?: PayloadOf<O>;
    retMsg: string;
  };
  if (response.s2c === undefined) throw new Error(response.retMsg);
  return response.s2c;
}

const pulled = async (backend: Backend, symbol: string, reqNum: number) => {
  const request = create(KlC2SSchema, { security: security(symbol), klType: KL_TYPE_4MIN, rehabType: 0, reqNum });
  return (await answered(backend, quote.getKline, request)).klList;
};

const history = (backend: Backend, symbol: string, fields: object) => {
  const request = create(HistoryC2SSchema, {
    security: security(symbol),
    klType: KL_TYPE_4MIN,
    rehabType: 0,
    session: ALL_HOURS,
    ...fields,
  });
  return answered(backend, quote.getHistoryKline, request);
};

/** Turnover rates of a bar over ranges differ by the rounding of a sum at most. */
const plain = ({ time, timestamp, openPrice, highPrice, lowPrice, closePrice, lastClosePrice, volume, turnover }: KLine) => [
  time,
  timestamp,
  openPrice,
  highPrice,
  lowPrice,
  closePrice,
  lastClosePrice,
  volume,
  turnover,
];

describe('bars of four minutes', () => {
  it('are the same in every range that holds their end, and in no other; whichever pages they come in', async () => {
    const cases = fc.record({
      symbol: fc.constantFrom(...symbols),
      after: fc.integer({ min: 0, max: 86_400_000 }),
      mode: fc.constantFrom('open' as const, 'calendar' as const),
      from: fc.integer({ min: 0, max: 100 * 60 }),
      length: fc.integer({ min: 0, max: 60 * 60 }),
      page: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ symbol, after, mode, from, length, page }) => {
        const clock = new ManualClock(FIXTURE_TIME + after);
        const { backend } = await startFixture({ clock, calendarMode: mode });
        const bars = await pulled(backend, symbol, 40);
        const newest = bars.at(-1)!.timestamp * 1000;
        const begin = newest - 120 * 60_000 + from * 1000;
        const [beginTime, endTime] = [begin, begin + length * 1000].map((time) => localDateTime(time, zones[symbol]));
        const expected = bars.filter(({ time }) => time >= beginTime! && time <= endTime!);
        const found: KLine[] = [];
        let nextReqKey: Uint8Array = new Uint8Array();
        do {
          const answer = await history(backend, symbol, { beginTime, endTime, maxAckKLNum: page, nextReqKey });
          found.push(...answer.klList);
          nextReqKey = answer.nextReqKey;
        } while (nextReqKey.length > 0);
        expect(found.map(plain)).toEqual(expected.map(plain));
        for (const { time, timestamp } of bars) expect(localDateTime(timestamp * 1000, zones[symbol])).toBe(time);
        await backend.stop();
      }),
      { numRuns: 40 },
    );
  });

  it('are the same in regular hours alone and with those before them', async () => {
    // 10:30 in New York.
    const { backend } = await startFixture({ clock: new ManualClock(Date.UTC(2026, 10, 20, 15, 30)), calendarMode: 'calendar' });
    const range = { beginTime: '2026-11-20 09:00:00', endTime: '2026-11-20 10:28:00', maxAckKLNum: 0 };
    const regular = (await history(backend, 'US.AAPL', { ...range, session: 1 })).klList;
    const all = (await history(backend, 'US.AAPL', range)).klList;
    expect(regular.map(({ time }) => time).slice(0, 2)).toEqual(['2026-11-20 09:32:00', '2026-11-20 09:36:00']);
    expect(all.filter(({ time }) => time > regular[0]!.time).map(plain)).toEqual(regular.slice(1).map(plain));
    expect(all.find(({ time }) => time === regular[0]!.time)?.volume).toBe(regular[0]!.volume);
    await backend.stop();
  });

  it('hold the volume of their minutes, and only the fields that are asked for', async () => {
    const { backend } = await startFixture();
    const range = { beginTime: '2026-11-20 10:00:00', endTime: '2026-11-20 10:20:00', maxAckKLNum: 0 };
    const minutes = (
      await payload(backend, quote.getHistoryKline, {
        security: security('HK.00700'),
        klType: 1,
        rehabType: 0,
        ...range,
        beginTime: '2026-11-20 09:56:01',
      })
    ).klList;
    const bars = (await history(backend, 'HK.00700', range)).klList;
    expect(bars.map(({ volume }) => volume)).toEqual(
      bars.map((_, i) => minutes.slice(4 * i, 4 * i + 4).reduce((sum, { volume }) => sum + volume, 0n)),
    );
    const [closes] = (await history(backend, 'HK.00700', { ...range, needKLFieldsFlag: 8n })).klList;
    expect(closes).toMatchObject({ closePrice: bars[0]!.closePrice, time: bars[0]!.time });
    expect(closes).not.toHaveProperty('openPrice', bars[0]!.openPrice);
    await backend.stop();
  });
});

it.each([2, KL_TYPE_4MIN])(
  'a page key of None begins at the first page over the public protocol, and is refused elsewhere (kl_type %i)',
  async (klType) => {
    const { backend } = await startFixture();
    const fields = { klType, rehabType: 0, beginTime: '2026-11-19', endTime: '2026-11-19', maxAckKLNum: 3, security: security('HK.00700') };
    const first = create(HistoryC2SSchema, fields);
    const keyed = create(HistoryC2SSchema, { ...fields, nextReqKey: new TextEncoder().encode('None') });
    const page = await answered(backend, quote.getHistoryKline, first);
    expect(page.klList.length).toBeGreaterThan(0);
    for (const iface of ['core-tcp', 'core-ws', 'grpc'] as const)
      expect((await answered(backend, quote.getHistoryKline, keyed, iface)).klList).toEqual(page.klList);
    await expect(answered(backend, quote.getHistoryKline, keyed)).rejects.toThrow('next_req_key');
    await backend.stop();
  },
);
