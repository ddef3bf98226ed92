import { pinning, readersNeed } from './processes.mjs';
import { number } from './report.mjs';

const LIGHT_FLOOR = 1.15;
const SATURATION_FLOOR = 5;
const READERS = 2;

/** The figures of bench/push.mjs, from the line that it prints last. */
export function pushFigures({ connections, cpu, light, flat, best, ratio }) {
  return [
    {
      name: `(a) push of single events to ${number(connections)} connections, light load (${pinning})`,
      value: `${cpu.gateway.toFixed(2)} µs CPU a message`,
      limit: `ws.send loop ${cpu.plain.toFixed(2)} µs`,
      ratio: light,
      floor: `≥ ${LIGHT_FLOOR}`,
      pass: light >= LIGHT_FLOOR,
    },
    {
      name: `(b) push to ${number(connections)} connections at saturation (${pinning})`,
      value: best === undefined ? 'nothing within 40 ms' : `${number(best.rate)} messages/s, p50 ${best.p50} ms, p99 ${best.p99} ms`,
      limit: `ws.send loop ${number(flat.rate)} messages/s, p50 ${flat.p50} ms, p99 ${flat.p99} ms`,
      ratio,
      floor: `≥ ${SATURATION_FLOOR}`,
      ...(readersNeed(READERS).cannot === undefined ? { pass: ratio >= SATURATION_FLOOR } : readersNeed(READERS)),
    },
  ];
}
