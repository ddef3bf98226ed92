import { ManualClock } from '@svc-gateway/contract/clock';
import { beforeEach, expect, it } from 'vitest';
import { Lifecycle } from './lifecycle.js';
import { StateLog } from './state-log.js';

let clock: ManualClock;
let lines: string[];
let lifecycle: Lifecycle;
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 0, 5));
  lines = [];
  const logger = { info: (fields: object, message: string) => void lines.push(`${Object.values(fields).join(' ')} ${message}`) };
  const log = new StateLog(clock, logger, { point: 'the platform' }, 'the connection');
  lifecycle = new Lifecycle(clock, () => log.note(lifecycle.snapshot));
});

function connect(): void {
  lifecycle.enter('connecting', 'a try');
  lifecycle.enter('authenticating', 'connected');
  lifecycle.enter('ready', 'connected');
}

it('logs each state once when it is entered, and not what is said anew of it', () => {
  lifecycle.enter('connecting', 'start');
  lifecycle.note('waiting for a code');
  lifecycle.enter('failed', 'the login was refused');
  expect(lines).toEqual(['the platform connecting start the connection', 'the platform failed the login was refused the connection']);
});

it('logs a connection that comes and goes once a minute, and last what it stays', () => {
  connect();
  expect(lines).toHaveLength(3);
  for (let second = 0; second < 300; second += 1) {
    lifecycle.enter('reconnecting', 'the server closed the connection');
    clock.advance(1_000);
    connect();
  }
  expect(lines.length).toBeLessThanOrEqual(3 + 4 * 6);
  clock.advance(60_000);
  expect(lines.at(-1)).toMatch(/^the platform ready connected/);
  // Omitted lines are counted: four changes a second.
  const omitted = lines.map((line) => Number(/(\d+) the connection$/.exec(line)?.[1] ?? 0)).reduce((sum, count) => sum + count);
  expect(omitted + lines.length).toBe(3 + 4 * 300);
  const { length } = lines;
  clock.advance(600_000);
  expect(lines).toHaveLength(length);
});
