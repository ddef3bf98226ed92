import type { Backend } from '@svc-gateway/gateway';
import { plainText } from '@svc-gateway/wire';
import { afterEach, describe, expect, it } from 'vitest';
import { Finding } from '../fuzz.js';
import { brokenListener, type Tamper } from './broken-listener.js';
import { fuzzLive } from './fuzz-live.js';
import { type Listeners, serveListeners } from './listeners.js';
import { type LiveTarget, liveTargets, tcpTarget } from './targets.js';

const SEED = 20260801;
const FRAMES = 800;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(tamper?: (backend: Backend) => void): Promise<Listeners> {
  const listeners = await serveListeners(tamper);
  ends.push(() => listeners.stop());
  return listeners;
}

describe('a short run against live listeners', () => {
  it.each(['core TCP', 'core TCP, encrypted', 'core WebSocket'])('%s', async (name) => {
    const listeners = await serve();
    const target = liveTargets(listeners).find((each) => each.name === `${name}, live`)!;
    const report = await fuzzLive(target, listeners, { count: FRAMES, seed: SEED });
    // Many requests are sound in spite of their mutations, and many are not.
    expect(report.answers).toBeGreaterThan(report.frames / 3);
    expect(report.answers).toBeLessThan(report.frames);
  });
});

describe('the live fuzzer finds', () => {
  async function findingOf(target: LiveTarget, listeners: Listeners, patienceMs = 10_000): Promise<string> {
    const found = await fuzzLive(target, listeners, { count: FRAMES, seed: SEED, patienceMs }).catch((error: unknown) => error);
    expect(found).toBeInstanceOf(Finding);
    expect((found as Finding).message).toContain(`seed ${SEED}`);
    return (found as Finding).message;
  }

  const renumber: Tamper = (answers) =>
    answers.map((answer) => {
      answer.writeUInt32LE((answer.readUInt32LE(8) ^ 1) >>> 0, 8);
      return answer;
    });

  /** For what is found by waiting in vain. */
  const SHORT_MS = 1000;
  /** Long enough that everything has been answered before the end is waited for. */
  const ANSWERED_MS = 5_000;

  it.each<[string, string, Tamper, { patienceMs: number; keepsOpen?: boolean }?]>([
    ['an answer to another serial', 'which was not asked', renumber],
    ['an answer given twice', 'is answered already', (answers) => answers.flatMap((answer) => [answer, answer])],
    ['a missing answer', 'requests are unanswered', (answers) => answers.slice(1), { patienceMs: SHORT_MS }],
    ['a wrong digest', 'the digest of an answer is wrong', (answers) => answers.map((answer) => answer.fill(0, 16, 36))],
    ['a connection that is cut for nothing', 'although nothing was wrong', (answers) => (answers.length > 0 ? undefined : answers)],
    ['connections that stay', 'connections do not end', (answers) => answers, { patienceMs: ANSWERED_MS, keepsOpen: true }],
  ])('%s', async (_, message, tamper, { patienceMs, keepsOpen } = { patienceMs: 10_000 }) => {
    const listeners = await serve();
    const broken = await brokenListener(listeners.tcpPort, tamper, keepsOpen);
    ends.push(() => broken.close());
    expect(await findingOf(tcpTarget('broken', { port: broken.port, cipher: plainText }), listeners, patienceMs)).toContain(message);
  });

  /** A backend that does something more once it has been called often. */
  const after = (calls: number, act: () => void) => (backend: Backend) => {
    const sound = backend.call.bind(backend);
    let left = calls;
    backend.call = (...call) => {
      left -= 1;
      if (left < 0) act();
      return sound(...call);
    };
  };

  const kept: Buffer[] = [];
  it.each<[string, string, number, () => void]>([
    ['a defect behind the listener', 'a defect was logged', 600, () => JSON.parse('')],
    ['a leak', 'memory grew by', 0, () => kept.push(Buffer.alloc(320 * 1024))],
  ])('%s', async (_, message, calls, act) => {
    const listeners = await serve(after(calls, act));
    expect(await findingOf(liveTargets(listeners)[0]!, listeners)).toContain(message);
    kept.length = 0;
  });
});
