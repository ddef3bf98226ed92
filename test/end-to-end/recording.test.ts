import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { StartProblem } from '@svc-gateway/daemon/daemon';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backendName } from '../support/backend-behind.js';
import { TestDaemon } from '../support/daemon.js';

// A Friday morning in Hong Kong.
const DAY = '2026-11-20T02:30:00Z';
const SYMBOL = 'HK.00700';
const ENOUGH = 30;
const EARLY_MAX = 6;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Subscribes to everything of one symbol, and waits for so many pushes. */
async function pushesOf(test: TestDaemon, count: number): Promise<readonly unknown[]> {
  const client = await test.push();
  await test.as().s2c('/api/subscribe', { symbols: [SYMBOL], sub_types: [1, 2, 4], is_sub_or_un_sub: true, is_first_push: false });
  await client.frame(() => client.quotes.length >= count, `${count} pushes`);
  return client.quotes.map(({ body }) => body);
}

it('records a session by one flag and plays it by two: the same pushes in the same order', async () => {
  // External data are recorded with their time of arrival.
  const before = new Date((backendName === 'sim' ? Date.parse(DAY) : Date.now()) - 60_000);
  const recording = await TestDaemon.start({ flags: ['--record', folder, '--sim-clock', `replay:${DAY}@20`, '--sim-seed', '7'] });
  const then = await pushesOf(recording, EARLY_MAX + ENOUGH);
  const metrics = await recording.as().get('/metrics');
  expect(metrics.text).toMatch(/^svc_recording_writable 1$/m);
  await recording.stop();

  const playing = await TestDaemon.start({ flags: ['--sim-data', folder, '--sim-clock', `replay:${before.toISOString()}@10`] });
  // Pushes before the confirmation of the subscription went unheard then; they are in the recording.
  const now = await pushesOf(playing, EARLY_MAX + ENOUGH);
  const first = now.findIndex((push) => isDeepStrictEqual(push, then[0]));
  expect(first).toBeGreaterThanOrEqual(0);
  expect(now.slice(first, first + ENOUGH)).toEqual(then.slice(0, ENOUGH));
  expect(playing.log.join('')).toContain(`playing the recording of ${before.toISOString().slice(0, 11)}`);
  await playing.stop();
});

it('says how to play a recording when the clock is not that of a replay', async () => {
  const recording = await TestDaemon.start({ flags: ['--record', folder, '--sim-clock', `replay:${DAY}`] });
  await pushesOf(recording, 1);
  await recording.stop();
  await expect(TestDaemon.start({ flags: ['--sim-data', folder] })).rejects.toThrow(
    /holds a recording of 2026-11-\d\dT.*: it is played with --sim-clock replay:2026-11-\d\dT/,
  );
});

it('refuses to start where nothing can be recorded', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const failing = TestDaemon.start({ flags: ['--record', join(file, 'below')] });
  await expect(failing).rejects.toThrow(StartProblem);
  await expect(failing).rejects.toThrow(/--record .*ENOTDIR/);
});
