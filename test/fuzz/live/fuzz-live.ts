import { setTimeout } from 'node:timers/promises';
import { seededRandom } from '../../faults/random.js';
import { Finding, type FuzzReport } from '../fuzz.js';
import { memoryInUse } from '../memory.js';
import { Companion } from './companion.js';
import type { Listeners } from './listeners.js';
import type { LiveTarget } from './targets.js';
import { everySplit, flood, Misconduct, visit } from './visit.js';

export interface LiveReport extends FuzzReport {
  readonly connections: number;
}

export interface LiveRun {
  /** Mutated frames over which memory is measured, after those that warm up. */
  readonly count: number;
  readonly seed: number;
  /** How long a connection may take, but for a flood, and its end; default 10 s. */
  readonly patienceMs?: number;
}

/** Longer than the published clients wait for an answer. */
const PATIENCE_MS = 10_000;
/** Connections at a time. */
const LANES = 8;
/** Nothing announces that a socket of the listener is gone. */
const POLL_MS = 5;
/** Frames before memory is measured. Caches of the simulated world fill in the first two thousand: 20 to 45 MB, of 32 to 57 after five thousand. */
const WARM_FRAMES = 1_600;
/** Allowance for the daemon's own caches: symbols looked at, bars, companies and contracts among them. */
const GROWTH_BYTES_MAX = 32 * 1024 * 1024;
/** While a client floods and does not read: its backlog, and what the listener has in its hands at the time. */
const FLOOD_BYTES_MAX = 16 * 1024 * 1024;
const SHOWN_BYTES_MAX = 4096;

/**
 * Sends mutated frames to a listener, first to warm up and then `count` more, over connections of some dozens of frames each, eight at a time, while a
 * well-behaved client goes on. The same seed makes the same choices; how the connections interleave is the system's.
 * @throws Finding on an answer to what was not asked or was answered already, on a missing answer, on a connection that should have
 * been closed or kept, on a defect in the log, on a client that is not served any more, on memory that grows, on
 * connections and subscriptions that remain.
 */
export async function fuzzLive(
  target: LiveTarget,
  listeners: Listeners,
  { count, seed, patienceMs = PATIENCE_MS }: LiveRun,
): Promise<LiveReport> {
  const started = performance.now();
  const before = openIn(listeners);
  const companion = await Companion.start(listeners);
  const totals = { frames: 0, answers: 0, connections: 0 };
  const add = ({ frames, answers }: { frames: number; answers: number }) => {
    totals.frames += frames;
    totals.answers += answers;
    totals.connections += 1;
  };
  const run = async (upTo: number) => {
    const lane = async (index: number) => {
      const random = seededRandom(seed + index + totals.frames * LANES);
      while (totals.frames < upTo) {
        add(await visit(target, random, patienceMs));
        await companion.ask();
        check(listeners);
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)));
  };
  const allEnded = async (but: number) => {
    // Both ends of a connection are this process's.
    const expected = { sessions: before.sessions + but, subscriptions: 0, sockets: before.sockets + 2 * but };
    const deadline = performance.now() + patienceMs;
    for (let open = openIn(listeners); exceeds(open, expected); open = openIn(listeners)) {
      if (performance.now() > deadline)
        throw new Error(`connections do not end: expected are ${JSON.stringify(expected)}, open are ${JSON.stringify(open)}`);
      await setTimeout(POLL_MS);
    }
  };
  const quiet = async () => {
    await allEnded(companion.sessions);
    return memoryInUse();
  };

  try {
    await everySplit(target, patienceMs);
    await run(WARM_FRAMES);
    const memoryBefore = await quiet();
    await run(WARM_FRAMES + count);
    const memoryAfter = await quiet();
    const growth = memoryAfter - memoryBefore;
    if (growth > GROWTH_BYTES_MAX) throw new Error(`memory grew by ${growth} bytes over ${totals.frames} frames`);
    await surviveFloods(target, memoryAfter);
    await companion.ask();
    check(listeners);
    companion.stop();
    await allEnded(0);
    return { ...totals, seconds: (performance.now() - started) / 1000, memoryBefore, memoryAfter };
  } catch (error) {
    companion.stop();
    // Everything else follows from a defect.
    const [defect] = listeners.defects;
    throw findingOf(target, defect === undefined ? error : new Error(`a defect was logged: ${defect}`), seed, totals.frames);
  }
}

function check({ defects }: Listeners): void {
  if (defects.length > 0) throw new Error(`a defect was logged: ${defects[0]}`);
}

interface Open {
  readonly sessions: number;
  readonly subscriptions: number;
  readonly sockets: number;
}

function openIn(listeners: Listeners): Open {
  const sockets = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  return { ...listeners.open(), sockets };
}

function exceeds(open: Open, expected: Open): boolean {
  return open.sessions > expected.sessions || open.subscriptions > expected.subscriptions || open.sockets > expected.sockets;
}

async function surviveFloods(target: LiveTarget, memoryBefore: number): Promise<void> {
  for (const begin of target.floods) {
    const { name, channel, chunk } = await begin();
    await flood({ channel, chunk }, PATIENCE_MS);
    const growth = memoryInUse() - memoryBefore;
    channel.reset();
    await channel.closed;
    if (growth > FLOOD_BYTES_MAX) throw new Error(`memory grew by ${growth} bytes under a flood of ${name} by a client that does not read`);
  }
}

function findingOf({ name }: LiveTarget, error: unknown, seed: number, frames: number): Finding {
  const sent = error instanceof Misconduct ? `, sent:\n${error.sent.toString('hex', 0, SHOWN_BYTES_MAX)}` : '';
  return new Finding(`${name}: ${error instanceof Error ? error.message : error}\nseed ${seed}, after about ${frames} frames${sent}`);
}
