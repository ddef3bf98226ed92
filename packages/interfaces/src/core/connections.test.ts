import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { newConnectionId, newKeyText } from './connection-id.js';
import { Connections, type CoreConnection } from './connections.js';

class FakeConnection implements CoreConnection {
  readonly events: string[] = [];
  settle: () => void = () => undefined;

  tick(now: number): void {
    this.events.push(`tick ${now}`);
  }

  finish(): Promise<void> {
    this.events.push('finish');
    return new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  end(): void {
    this.events.push('end');
  }

  destroy(): void {
    this.events.push('destroy');
  }
}

describe('connections', () => {
  it('are told the time, and are bounded in number', () => {
    const clock = new ManualClock(0);
    const connections = new Connections(clock, 2);
    const [one, two] = [new FakeConnection(), new FakeConnection()];
    connections.add(one);
    expect(connections.full).toBe(false);
    connections.add(two);
    expect(connections.full).toBe(true);
    clock.advance(10_000);
    connections.remove(two);
    expect(connections.full).toBe(false);
    clock.advance(5000);
    expect(one.events).toEqual(['tick 5000', 'tick 10000', 'tick 15000']);
    expect(two.events).toEqual(['tick 5000', 'tick 10000']);
  });

  it('finish what is under way, within five seconds', async () => {
    const clock = new ManualClock(0);
    const connections = new Connections(clock);
    const [quick, slow] = [new FakeConnection(), new FakeConnection()];
    connections.add(quick);
    const finished = connections.finish();
    quick.settle();
    await finished;
    connections.add(slow);
    const cut = connections.finish();
    quick.settle();
    clock.advance(5000);
    await cut;
    expect(slow.events).toEqual(['finish', 'tick 5000']);
  });

  it('are ended, and cut off when they do not go', async () => {
    const clock = new ManualClock(0);
    const connections = new Connections(clock);
    const [quick, slow] = [new FakeConnection(), new FakeConnection()];
    connections.add(quick);
    connections.add(slow);
    const closed = connections.close();
    connections.remove(quick);
    clock.advance(1000);
    await closed;
    expect(quick.events).toEqual(['end']);
    expect(slow.events).toEqual(['end', 'destroy']);
  });
});

describe('what a connection is given', () => {
  it('is a number above 0 that a signed integer holds, and a key of 16 ASCII characters', () => {
    const ids = Array.from({ length: 1000 }, newConnectionId);
    for (const id of ids) expect(id > 0n && id < 2n ** 63n).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    const keys = Array.from({ length: 1000 }, newKeyText);
    for (const key of keys) expect(key).toMatch(/^[A-Za-f]{16}$/);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
