import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { ServiceManager } from './service-manager.js';

const SOCKET = { NOTIFY_SOCKET: '/run/systemd/notify' };

function manage(variables: Record<string, string>, notify?: (note: readonly string[]) => Promise<void>) {
  const clock = new ManualClock(0);
  const told: string[] = [];
  const troubles: string[] = [];
  const manager = new ServiceManager({
    variables,
    pid: 7,
    clock,
    notify: async (note) => {
      told.push(note.join(' '));
      await notify?.(note);
    },
    onTrouble: ({ message }) => troubles.push(message),
  });
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    return told;
  };
  return { manager, clock, settled, troubles };
}

describe('what systemd is told', () => {
  it('is that the daemon is ready, reloads and stops', async () => {
    const { manager, settled } = manage(SOCKET);
    manager.ready();
    manager.reloading();
    manager.ready();
    manager.stopping();
    expect(await settled()).toEqual(['READY=1', expect.stringMatching(/^RELOADING=1 MONOTONIC_USEC=\d+$/), 'READY=1', 'STOPPING=1']);
  });

  it('does nothing without a listener', async () => {
    const { manager, clock, settled } = manage({ WATCHDOG_USEC: '2000000' });
    manager.ready();
    clock.advance(60_000);
    expect(await settled()).toEqual([]);
  });

  it('is twice in the watchdog’s time that the event loop turns, until the end', async () => {
    const { manager, clock, settled } = manage({ ...SOCKET, WATCHDOG_USEC: '20000000', WATCHDOG_PID: '7' });
    manager.ready();
    for (let seconds = 0; seconds < 30; seconds += 10) {
      await settled();
      clock.advance(10_000);
    }
    manager.stopping();
    await settled();
    clock.advance(60_000);
    expect(await settled()).toEqual(['READY=1', 'WATCHDOG=1', 'WATCHDOG=1', 'WATCHDOG=1', 'STOPPING=1']);
  });

  it('is no watchdog note where another process is watched', async () => {
    const { manager, clock, settled } = manage({ ...SOCKET, WATCHDOG_USEC: '20000000', WATCHDOG_PID: '8' });
    manager.ready();
    clock.advance(60_000);
    expect(await settled()).toEqual(['READY=1']);
  });

  it('goes on after a note that did not get through, which is told once', async () => {
    let fails = true;
    const { manager, settled, troubles } = manage(SOCKET, async () => {
      if (fails) throw new Error('no such program');
    });
    manager.ready();
    manager.reloading();
    await settled();
    fails = false;
    manager.stopping();
    expect(await settled()).toHaveLength(3);
    expect(troubles).toEqual(['no such program']);
  });

  it('does not pile up while one note hangs', async () => {
    const { manager, clock, settled } = manage({ ...SOCKET, WATCHDOG_USEC: '2000000' }, () => new Promise(() => {}));
    manager.ready();
    clock.advance(3_600_000);
    expect(await settled()).toEqual(['READY=1']);
  });
});
