import { create, type Message } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { SecuritySchema, SecurityType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { BackendLost, type ResponseMessage } from '@svc-gateway/gateway';
import { expect, it } from 'vitest';
import type { Upstream } from '../connection/upstream.js';
import { RateLimitedClient } from '../requests/rate-limited-client.js';
import { readTradingTerms } from './trading-terms.js';

const known: Readonly<Record<string, { secType: number; lotSize: number }>> = {
  '00700': { secType: SecurityType.SecurityType_Eqty, lotSize: 100 },
  HSImain: { secType: SecurityType.SecurityType_Future, lotSize: 50 },
  CUSmain: { secType: SecurityType.SecurityType_Future, lotSize: 100_000 },
  TCH260129C650000: { secType: SecurityType.SecurityType_Drvt, lotSize: 100 },
};

function cacheOver(fails = false) {
  const asked: string[] = [];
  const clock = new ManualClock(0);
  const upstream = {
    async request({ name, messages }: Parameters<Upstream['request']>[0], c2s: Message) {
      const [security] = (c2s as Message & { securityList: { code: string }[] }).securityList;
      const code = security?.code ?? '';
      asked.push(`${name} ${code}`);
      if (fails) throw new BackendLost('cut');
      const answer = name === 'get_static_info' ? staticInfo(code) : futureInfo(code);
      return create(messages.ResponseSchema, answer as Record<string, unknown>) as ResponseMessage;
    },
    requestBytes: () => Promise.reject(new Error('not asked')),
  } satisfies Upstream;
  const client = new RateLimitedClient(upstream, { clock, limits: 'when refused' });
  const of = (market: number, code: string) =>
    readTradingTerms(client, create(SecuritySchema, { market, code }), { deadline: clock.monotonic() + 1_000 });
  return { of, asked, clock };
}

function staticInfo(code: string): object {
  const basic = known[code];
  if (basic === undefined) return { retType: -1, retMsg: 'unknown' };
  return { retType: 0, s2c: { staticInfoList: [{ basic: { ...basic, security: { market: 1, code }, id: 1n, name: '', listTime: '' } }] } };
}

function futureInfo(code: string): object {
  if (code !== 'CUSmain') return { retType: -1, retMsg: 'not served' };
  return { retType: 0, s2c: { futureInfoList: [{ quoteCurrency: 'CNY' }] } };
}

it('takes the multiplier of contracts, and of nothing else, from the lot size', async () => {
  const { of } = cacheOver();
  expect(await of(1, '00700')).toEqual({ multiplier: parseDecimal('1'), currency: 'HKD' });
  expect(await of(1, 'TCH260129C650000')).toEqual({ multiplier: parseDecimal('100'), currency: 'HKD' });
});

it('takes the currency of a future from the server, else from the market', async () => {
  const { of } = cacheOver();
  expect(await of(1, 'HSImain')).toEqual({ multiplier: parseDecimal('50'), currency: 'HKD' });
  expect(await of(1, 'CUSmain')).toEqual({ multiplier: parseDecimal('100000'), currency: 'CNH' });
});

it('asks once a day, and once for concurrent callers', async () => {
  const { of, asked, clock } = cacheOver();
  await Promise.all([of(1, '00700'), of(1, '00700')]);
  expect(await of(1, '00700')).toEqual({ multiplier: parseDecimal('1'), currency: 'HKD' });
  expect(asked).toHaveLength(1);
  clock.advance(24 * 3_600_000);
  await of(1, '00700');
  expect(asked).toHaveLength(2);
});

it('does not cache refused or unanswered terms', async () => {
  const { of, asked } = cacheOver();
  expect(await of(1, 'nothing')).toBeUndefined();
  expect(await of(1, 'nothing')).toBeUndefined();
  expect(asked).toHaveLength(2);
  expect(await cacheOver(true).of(1, '00700')).toBeUndefined();
});
