import { seededRandom } from '../faults/random.js';
import { memoryInUse } from './memory.js';
import type { Target } from './targets.js';
import type { Asked } from './wires.js';

export interface FuzzReport {
  readonly frames: number;
  /** Answers that were compared with their requests. */
  readonly answers: number;
  readonly seconds: number;
  /** Bytes in use after a garbage collection, once warm and at the end. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
}

/** A finding: what went wrong, with what it takes to see it again. */
export class Finding extends Error {}

const WARM_SHARE = 0.2;
const GROWTH_BYTES_MAX = 4 * 1024 * 1024;
const SHOWN_BYTES_MAX = 2048;

/**
 * Sends `count` mutated frames to each target in turn. The same seed makes the same bytes.
 * @throws Finding on a crash, on an answer to what was not asked, on a missing answer, on memory that grows.
 */
export async function fuzz(target: Target, count: number, seed: number): Promise<FuzzReport> {
  const random = seededRandom(seed);
  const started = performance.now();
  let memoryBefore: number | undefined;
  let frames = 0;
  let answers = 0;
  while (frames < count) {
    if (memoryBefore === undefined && frames >= count * WARM_SHARE) memoryBefore = memoryInUse();
    const input = target.wire.make(random);
    const problem = await trial(target, input.chunks, (given) => {
      answers += given;
    });
    if (problem !== undefined) throw new Finding(`${target.name}: ${problem}\n${describe(input.chunks, seed, frames)}`);
    frames += input.frames;
  }
  const memoryAfter = memoryInUse();
  const report = { frames, answers, seconds: (performance.now() - started) / 1000, memoryBefore: memoryBefore ?? memoryAfter, memoryAfter };
  const growth = report.memoryAfter - report.memoryBefore;
  if (growth > GROWTH_BYTES_MAX) throw new Finding(`${target.name}: memory grew by ${growth} bytes over ${frames} frames (seed ${seed})`);
  return report;
}

/** Checks a target's handling of these bytes; undefined if it is right. */
async function trial(target: Target, chunks: readonly Buffer[], count: (answers: number) => void): Promise<string | undefined> {
  // Read first: a target may not change what it is given, but a broken one might.
  const asked = target.wire.requestsIn(chunks);
  let given: readonly Asked[];
  try {
    const result = target.exchange(chunks);
    // Waiting for what is there already would cost more than all the rest.
    given = result instanceof Promise ? await result : result;
  } catch (error) {
    return `crashed: ${error instanceof Error ? error.stack : error}`;
  }
  count(given.length);
  return compare(asked, given, target.answersAll);
}

/** Answers come in the order of the requests; those in between may be missing unless all are answered. */
function compare(asked: readonly Asked[], given: readonly Asked[], all: boolean): string | undefined {
  let at = 0;
  for (const { protoId, number } of given) {
    while (at < asked.length && !(asked[at]?.protoId === protoId && asked[at]?.number === number)) at += 1;
    if (at === asked.length) return `an answer to (${protoId}, ${number}), which was not asked`;
    at += 1;
  }
  return all && given.length < asked.length ? `${asked.length} requests, ${given.length} answers` : undefined;
}

function describe(chunks: readonly Buffer[], seed: number, frames: number): string {
  const hex = chunks.map((chunk) => chunk.subarray(0, SHOWN_BYTES_MAX).toString('hex'));
  return `seed ${seed}, after ${frames} frames, chunks:\n${hex.join('\n')}`;
}
