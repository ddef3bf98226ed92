import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestDaemon } from '../../support/daemon.js';
import { startVerified } from '../../support/remote-daemon.js';
import { SimServe } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';

/** Rules of a brokerage that callers need not know: the length of its lists, repeated requests, and when it is left alone. */
const SYMBOLS = 2_000;
const EQUITY = 3;
/** Markets, and what stands before their codes. */
const HK = 1;
const US = 11;
const SH = 21;
const prefixes: Readonly<Record<number, string>> = { [HK]: 'HK', [US]: 'US', [SH]: 'SH' };
const keys = { desk: { scopes: ['qot:read', 'acc:read'] } } as const;

function symbolOf({ basic }: { basic: { security: { market: number; code: string } } }): string {
  return `${prefixes[basic.security.market]}.${basic.security.code}`;
}

let brokerage: SimServe;
let daemon: TestDaemon<'desk'>;
beforeEach(async () => {
  brokerage = await SimServe.start({ simulation: { generatedInstruments: 1_000 } });
  daemon = await startVerified(brokerage, { keys });
});
afterEach(async () => {
  await daemon.stop();
  await brokerage.stop();
});

it('reads 2,000 symbols in one request, in their order', async () => {
  const desk = daemon.as('desk');
  const listed = await Promise.all([HK, US, SH].map((market) => desk.s2c('/api/static-info', { market, sec_type: EQUITY })));
  const symbols = listed.flatMap(({ static_info_list }) => static_info_list.map(symbolOf)).reverse();
  // Some twice, to make up the number.
  const asked = Array.from({ length: SYMBOLS }, (_, at) => symbols[at % symbols.length]);
  const { static_info_list } = await desk.s2c('/api/static-info', { symbols: asked });
  expect(static_info_list.map(symbolOf)).toEqual(asked);
});

it('takes another turn where the brokerage says that it was asked too often', async () => {
  const text = 'get_snapshot is too frequent, request failed, no more than 60 times every 30 seconds.';
  brokerage.faults.order({ kind: 'refuse', text, retType: -1, point: 'platform', protoId: 3203, times: 1 });
  const { snapshot_list } = await daemon.as('desk').s2c('/api/snapshot', { symbols: ['HK.00700'] });
  expect(snapshot_list).toHaveLength(1);
});

it('answers what was read before while the platform is away, and says how old it is', async () => {
  const desk = daemon.as('desk');
  const before = await desk.s2c('/api/snapshot', { symbols: ['HK.00700'] });
  await brokerage.faults.down('platform');
  const held = await until(async () => {
    const answer = await desk.post('/api/snapshot', { symbols: ['HK.00700'] });
    return answer.headers['x-svc-stale-ms'] === undefined ? undefined : answer;
  }, 'an answer that is held');
  expect(held.json.s2c).toEqual(before);
  const refused = await desk.post('/api/snapshot', { symbols: ['HK.00005'] });
  expect([refused.status, refused.json.code]).toEqual([503, 'backend.not_ready']);
});

it('asks once where the same is asked at the same time', async () => {
  // Whoever else asked would get the refusal.
  brokerage.faults.order({ kind: 'delay', ms: 1_000, point: 'platform', protoId: 3203, times: 1 });
  brokerage.faults.order({ kind: 'refuse', text: 'asked twice', retType: -1, point: 'platform', protoId: 3203, times: 1 });
  const desk = daemon.as('desk');
  const answers = await Promise.all([1, 2, 3].map(() => desk.s2c('/api/snapshot', { symbols: ['HK.00700'] })));
  expect(answers).toEqual([answers[0], answers[0], answers[0]]);
});
