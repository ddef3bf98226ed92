/** Loading servers by turns, and the figure of one against its limit: what rest, mcp and grpc have in common. */
import { cpuSeconds, pinning } from './processes.mjs';
import { number } from './report.mjs';
import { median, quantile, spread } from './statistics.mjs';

/**
 * Has every generator load one target for so long: requests a second, the server's CPU in µs a request (NaN where the system
 * does not say), and latencies in µs.
 */
export async function load(generators, { target, pid, ms }) {
  const before = cpuSeconds(pid);
  const answers = await Promise.all(generators.map((generator) => generator.ask({ target, ms })));
  const requests = answers.reduce((sum, { requests }) => sum + requests, 0);
  const rate = answers.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0);
  const cpu = ((cpuSeconds(pid) - before) / requests) * 1e6;
  return { requests, rate, cpu, latencies: answers.flatMap(({ latencies }) => latencies) };
}

/** Until then the engine compiles what it runs. */
const WARM_REQUESTS = 20_000;
const FIRST_MS = 100;
const WARM_MS = 500;
/** A machine that is too busy for that is measured as warm as it has become by then. */
const WARM_TURNS_MAX = 24;

/**
 * Loads every target, by turns, until it has answered so many requests that what is compiled is compiled: after a time alone, a
 * busy machine would be measured cold. Nobody waits for a turn so long that a server takes its connections for silent.
 */
export async function warmUp(names, round) {
  const answered = new Map(names.map((name) => [name, 0]));
  let ms = FIRST_MS;
  for (let turn = 0; answered.size > 0 && turn < WARM_TURNS_MAX; turn++) {
    for (const [name, before] of answered) {
      const { requests } = await round(name, ms);
      if (before + requests < WARM_REQUESTS) answered.set(name, before + requests);
      else answered.delete(name);
    }
    ms = WARM_MS;
  }
}

/** The figure of a server's rounds against those of its limit, which alternated with them. `load` says in words what loaded them. */
export function pairFigure({ name, load, measured, limit, limitName, floor }) {
  const ratios = measured.map(({ rate }, round) => rate / limit[round].rate);
  const ratio = median(ratios);
  const byCpu = median(measured.map(({ cpu }, round) => limit[round].cpu / cpu));
  return {
    name: `${name}, ${load} (${pinning})`,
    value: `${describe(measured)}; by processor time ${number(byCpu, 2)}`,
    limit: `${limitName} ${describe(limit)}`,
    ratio,
    spread: spread(ratios),
    ...(floor === undefined ? {} : { floor: `≥ ${floor}`, pass: ratio >= floor }),
  };
}

function describe(rounds) {
  const latencies = rounds.flatMap((round) => round.latencies);
  const cpu = median(rounds.map((round) => round.cpu));
  const milliseconds = (share) => number(quantile(latencies, share) / 1000, 2);
  return `${number(median(rounds.map(({ rate }) => rate)))}/s, ${number(cpu, 1)} µs CPU each, p50 ${milliseconds(0.5)} ms, p99 ${milliseconds(0.99)} ms`;
}
