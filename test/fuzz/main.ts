// npm run fuzz [-- --count 10000000 --seed 1]
import { parseArgs } from 'node:util';
import { Finding, type FuzzReport, fuzz } from './fuzz.js';
import { fuzzLive, type LiveReport } from './live/fuzz-live.js';
import { serveListeners } from './live/listeners.js';
import { liveTargets } from './live/targets.js';
import { codecTargets } from './targets.js';

/** Fraction of the frames that go to live listeners: one costs as much as many in the codec, which live ones run as well. */
const LIVE_SHARE = 0.1;

const { values } = parseArgs({ options: { count: { type: 'string', default: '10000000' }, seed: { type: 'string' } } });
const count = positiveInteger('--count', values.count);
const seed = values.seed === undefined ? Date.now() % 2 ** 32 : positiveInteger('--seed', values.seed);
const liveCount = Math.ceil(count * LIVE_SHARE);

console.log(`${count} mutated frames, ${liveCount} of them to live listeners, seed ${seed}`);
const started = performance.now();
try {
  const frames = (await codecRuns()) + (await liveRuns());
  const seconds = (performance.now() - started) / 1000;
  console.log(`${frames} frames in ${Math.round(seconds)} s, ${Math.round(frames / seconds)}/s, nothing found`);
} catch (error) {
  if (!(error instanceof Finding)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function codecRuns(): Promise<number> {
  let frames = 0;
  for (const target of codecTargets) {
    const report = await fuzz(target, Math.ceil((count - liveCount) / codecTargets.length), seed);
    print(target.name, report);
    frames += report.frames;
  }
  return frames;
}

async function liveRuns(): Promise<number> {
  const listeners = await serveListeners();
  const targets = liveTargets(listeners);
  let frames = 0;
  for (const target of targets) {
    const report: LiveReport = await fuzzLive(target, listeners, { count: Math.ceil(liveCount / targets.length), seed });
    print(target.name, report, `, ${report.connections} connections`);
    frames += report.frames;
  }
  await listeners.stop();
  return frames;
}

function print(name: string, { frames, answers, seconds, memoryBefore, memoryAfter }: FuzzReport, more = ''): void {
  const rate = Math.round(frames / seconds);
  const memory = `memory ${mebibytes(memoryBefore)} before, ${mebibytes(memoryAfter)} after`;
  console.log(`${name}: ${frames} frames, ${rate}/s${more}, ${answers} answers, ${memory}`);
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function positiveInteger(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`${flag}: expected a positive integer, found ${JSON.stringify(text)}`);
  process.exit(2);
}
