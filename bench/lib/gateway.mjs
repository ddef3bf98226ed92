/** The gateway and what it stands on, composed as packages/daemon/src/daemon.ts does it, in this process and without a listener. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Access, AuditLog, Keyring, OrderGates, SteadyTime } from '@svc-gateway/access';
import { createSimBackend } from '@svc-gateway/backends/sim';
import { systemClock as clock } from '@svc-gateway/contract/clock';
import { stderrLog } from '@svc-gateway/daemon/log';
import { Gateway } from '@svc-gateway/gateway';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore, openLevelStore } from '@svc-gateway/storage';
import { auditToLog } from '../../packages/daemon/dist/audit-to-log.js';

export function composeAccess({ keysFile, auditFile, store, time = new SteadyTime({ store, clock }) }) {
  // Without a keys file: legacy mode.
  const keyring = keysFile === undefined ? { ok: true, value: undefined } : Keyring.open({ path: keysFile, clock });
  const audit = AuditLog.open({ path: auditFile, clock, log: auditToLog(stderrLog('warn').logger), report: console.error });
  if (!keyring.ok || !audit.ok) throw new Error('the bench made files that are refused');
  const gates = new OrderGates({ store, now: time.now(), steadyNow: () => time.now(), onStoreFailure: console.error });
  return new Access({ keyring: keyring.value, gates, audit: audit.value });
}

export async function composeGateway({ folder, keysFile, auditFile, durable = true, adapt = (backend) => backend }) {
  const store = durable ? await openStore(folder) : new MemoryStore();
  const time = new SteadyTime({ store, clock });
  const access = composeAccess({ keysFile, auditFile, store, time });
  const { logger } = stderrLog('warn');
  const simulation = createSimulation({ clock, seed: 1, store, calendarMode: 'open' });
  const backend = adapt(createSimBackend({ simulation, clock, logger }));
  const gateway = new Gateway({
    access,
    backend,
    clock,
    time,
    store,
    logger,
    version: 'bench',
    switches: new Set(['--enable-trading']),
    pushBacklogBytesMax: 8 * 1024 ** 2,
    shutdown: () => process.exit(),
  });
  await backend.start();
  const stop = async () => {
    gateway.stop();
    time.stop();
    await backend.stop();
    await store.close();
    await access.audit.close();
  };
  return { gateway, backend, access, store, stop };
}

async function openStore(folder) {
  mkdirSync(folder, { recursive: true });
  const store = await openLevelStore(join(folder, 'database'));
  if ('kind' in store) throw new Error(store.message);
  return store;
}
