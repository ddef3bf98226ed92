import { existsSync } from 'node:fs';
import { create, toBinary } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import type { Operation } from '@svc-gateway/contract/operation';
import { derivatives, klinePattern, metadata, quote, research, trade, userState } from '@svc-gateway/contract/operations';
import { packageFolder } from '@svc-gateway/control/version';
import { accounts } from '@svc-gateway/simulator/brokerage/account';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { call, FIXTURE_TIME, startFixture } from '../../../../test/support/sim-backend.js';
import { AnswerThread, createSimBackend } from './index.js';

const built = new URL('packages/daemon/dist/answer-worker.js', packageFolder);
const security = { market: 1, code: '00700' };
const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const action of undo.splice(0)) await action();
});

/** A thread that runs `script`, or the built worker, for the world of a fixture. */
async function threadOf(script?: string) {
  const clock = new ManualClock(FIXTURE_TIME);
  const simulation = createSimulation({ clock, seed: 'test', store: new MemoryStore(), calendarMode: 'open' });
  const failures: unknown[] = [];
  const file = script === undefined ? built : new URL(`data:text/javascript,${encodeURIComponent(script)}`);
  const { recipe } = simulation;
  if (recipe === undefined) throw new Error('the world cannot be copied');
  const idle = new ManualClock(0);
  const thread = new AnswerThread({ file, recipe, simulation, clock: idle, onFailure: (error) => failures.push(error) });
  undo.push(() => thread.stop());
  return { clock, simulation, thread, failures, idle };
}

const ask = (thread: AnswerThread, signal?: AbortSignal) =>
  thread.ask(metadata.listPlates, create(metadata.listPlates.messages.C2SSchema, { market: 1, plateSetType: 0 }), signal);

describe('long reads beside the event loop', () => {
  it('answer the same bytes as in the loop, of the same moment, callers’ trades, orders and watchlists included', async () => {
    const { backend, clock, simulation } = await startFixture();
    const { recipe } = simulation;
    if (recipe === undefined) throw new Error('the world cannot be copied');
    const thread = new AnswerThread({
      file: built,
      recipe,
      simulation,
      clock: new ManualClock(0),
      onFailure: (error) => expect.unreachable(String(error)),
    });
    undo.push(
      () => thread.stop(),
      () => backend.stop(),
    );
    const logger = { error: (details: object) => expect.unreachable(String(details)) };
    const beside = createSimBackend({ simulation, clock, logger, thread });
    const reads: readonly [Operation, object][] = [
      [
        metadata.getStockFilter,
        {
          begin: 0,
          num: 5,
          market: 1,
          baseFilterList: [
            { fieldName: 11, sortDir: 2 },
            { fieldName: 5, isNoFilter: true },
          ],
        },
      ],
      [quote.getCapitalDistribution, { security }],
      [quote.getTickerStatisticDetail, { security }],
      [derivatives.getWarrant, { begin: 0, num: 10, sortField: 1, ascend: true, owner: security }],
      [research.getValuationDetail, { security }],
      [klinePattern.klinePatternStocks, { market: 1, shape: 1, klineType: 2, sortType: -1, userStockListMode: 1, extensionVersion: 1 }],
    ];
    const compare = async () => {
      const answers = [];
      for (const [operation, fields] of reads) {
        const [one, other] = await Promise.all([call(backend, operation, fields), call(beside, operation, fields)]);
        const bytes = [one, other].map((answer) => Buffer.from(toBinary(operation.messages.ResponseSchema, answer)).toString('latin1'));
        expect([operation.name, bytes[1]]).toEqual([operation.name, bytes[0]]);
        answers.push(bytes[0]);
      }
      return answers;
    };
    const before = await compare();
    const header = { trdEnv: 0, accID: accounts[0]?.id ?? 0n, trdMarket: 1 };
    for (const [serialNo, terms] of [{ orderType: 2 }, { orderType: 1, price: 100 }].entries()) {
      const order = { packetID: { connID: 1n, serialNo }, header, trdSide: 1, code: '00700', qty: 1_000, secMarket: 1, ...terms };
      expect((await call(backend, trade.placeOrder, order)).retMsg).toBe('');
    }
    await call(backend, userState.modifyUserSecurity, { groupName: 'mine', op: 1, securityList: [security] });
    clock.advance(1_000);
    const after = await compare();
    expect(after[1]).not.toBe(before[1]);
    clock.advance(86_400_000);
    await compare();
  });

  it('are retried once when the thread dies, and refused when it dies again', async () => {
    const { thread } = await threadOf(`process.exit(1)`);
    await expect(ask(thread)).rejects.toMatchObject({ kind: 'refused', code: 'backend.unavailable' });
  });

  it('are answered by a new thread after one that has failed', async () => {
    const once = `
      import { parentPort, workerData } from 'node:worker_threads';
      parentPort.on('message', ({ id, moment }) => {
        if (id === 1) throw new Error('broken');
        parentPort.postMessage({ id, refusal: { message: 'asked as ' + id, errCode: 0 } });
      });`;
    const { thread, failures } = await threadOf(once);
    expect(await ask(thread)).toMatchObject({ message: 'asked as 2' });
    expect(failures).toMatchObject([{ message: 'broken' }]);
  });

  it('fail as they would in the loop', async () => {
    const { thread } = await threadOf(
      `import { parentPort } from 'node:worker_threads'; parentPort.on('message', ({ id }) => parentPort.postMessage({ id, defect: new Error('broken') }));`,
    );
    await expect(ask(thread)).rejects.toThrow('broken');
  });

  it('are bounded, and abandoned ones are not sent', async () => {
    const silent = `import { parentPort } from 'node:worker_threads';
      let count = 0;
      parentPort.on('message', ({ id }) => {
        count += 1;
        if (count >= 8) parentPort.postMessage({ id, refusal: { message: 'question ' + id, errCode: 0 } });
      });`;
    const { thread } = await threadOf(silent);
    const sent = Array.from({ length: 8 }, () => ask(thread));
    for (const one of sent.slice(0, -1)) one.catch(() => undefined);
    const abandoned = new AbortController();
    const left = ask(thread, abandoned.signal);
    const last = ask(thread);
    const waiting = Array.from({ length: 998 }, () => ask(thread));
    for (const one of waiting) one.catch(() => undefined);
    await expect(ask(thread)).rejects.toMatchObject({ code: 'backend.unavailable' });
    abandoned.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await last).toMatchObject({ message: 'question 9' });
  });

  it('need no thread before the first, nor long after the last', async () => {
    const { thread, idle } = await threadOf(
      `import { parentPort, threadId } from 'node:worker_threads'; parentPort.on('message', ({ id }) => parentPort.postMessage({ id, refusal: { message: 'thread ' + threadId, errCode: 0 } }));`,
    );
    const first = await ask(thread);
    expect(await ask(thread)).toEqual(first);
    idle.advance(600_000);
    expect(await ask(thread)).not.toEqual(first);
  });
});

it('the worker is built', () => expect(existsSync(built)).toBe(true));
