import { EventEmitter } from 'node:events';
import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { handleSignals } from './signals.js';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(status: number): void {
    this.exits.push(status);
  }
}

function setUp(outcome: Promise<void>) {
  const process = new FakeProcess();
  const clock = new ManualClock(0);
  const calls: string[] = [];
  const signals = handleSignals(process, clock, {
    shutdown(reason) {
      calls.push(`shutdown ${reason}`);
      return outcome;
    },
    reload: () => void calls.push('reload'),
    onFailure: (message) => void calls.push(message),
  });
  return { process, clock, calls, signals };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe.each(['SIGINT', 'SIGTERM'])('%s', (signal) => {
  it('shuts down once, then exits with status 0', async () => {
    const { process, clock, calls } = setUp(Promise.resolve());
    process.emit(signal);
    expect(process.exits).toEqual([]);
    await turn();
    clock.advance(60_000);
    expect(calls).toEqual([`shutdown ${signal}`]);
    expect(process.exits).toEqual([0]);
  });

  it('given twice, ends the process at once with the status of the signal', () => {
    const { process, calls } = setUp(new Promise(() => {}));
    process.emit('SIGTERM');
    process.emit(signal);
    expect(calls).toEqual(['shutdown SIGTERM']);
    expect(process.exits).toEqual([signal === 'SIGINT' ? 130 : 143]);
  });
});

it('ends with status 1 when the shutdown fails', async () => {
  const { process, calls } = setUp(Promise.reject(new Error('disk')));
  process.emit('SIGTERM');
  await turn();
  expect(calls).toEqual(['shutdown SIGTERM', 'shutdown failed']);
  expect(process.exits).toEqual([1]);
});

it('ends with status 1 when the shutdown takes ten seconds', () => {
  const { process, clock, calls } = setUp(new Promise(() => {}));
  process.emit('SIGINT');
  clock.advance(9_999);
  expect(process.exits).toEqual([]);
  clock.advance(1);
  expect(process.exits).toEqual([1]);
  expect(calls.at(-1)).toBe('shutdown took longer than 10 s');
});

it('treats a request from inside as SIGTERM, once', async () => {
  const { process, calls, signals } = setUp(Promise.resolve());
  signals.requestShutdown('admin');
  signals.requestShutdown('admin');
  await turn();
  expect(calls).toEqual(['shutdown admin']);
  expect(process.exits).toEqual([0]);
});

it('reloads on every SIGHUP until removed', () => {
  const { process, calls, signals } = setUp(Promise.resolve());
  signals.ready();
  process.emit('SIGHUP');
  process.emit('SIGHUP');
  signals.remove();
  process.emit('SIGHUP');
  process.emit('SIGTERM');
  expect(calls).toEqual(['reload', 'reload']);
});

it('reloads once when it has started, where a SIGHUP came before', () => {
  const { process, calls, signals } = setUp(Promise.resolve());
  process.emit('SIGHUP');
  process.emit('SIGHUP');
  expect(calls).toEqual([]);
  signals.ready();
  expect(calls).toEqual(['reload']);
});

it('reloads no more when it stops', () => {
  const { process, calls, signals } = setUp(new Promise(() => {}));
  process.emit('SIGHUP');
  process.emit('SIGTERM');
  signals.ready();
  process.emit('SIGHUP');
  expect(calls).toEqual(['shutdown SIGTERM']);
  expect(process.exits).toEqual([]);
});
