import { toBinary } from '@bufbuild/protobuf';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { Recorder, readRecording } from './index.js';
import { createSimBackend } from '../backends/sim/index.js';
import { createSimulation } from '../simulator/simulation.js';
import { systemClock } from '../contract/clock.js';
import { pushMessagesOf } from '../gateway/push/index.js';
import { MemoryStore } from '../storage/index.js';

it('measures', async () => {
  const clock = systemClock;
  const simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'open' });
  const backend = createSimBackend({ simulation, clock, logger: { error() {}, warn() {}, info() {}, debug() {} } as never });
  await backend.start();
  const folder = await mkdtemp(join(tmpdir(), 'rec'));
  let now = clock.now();
  const recorder = new Recorder({ folder, clock, accountData: false, report: console.log });
  await recorder.start();
  let wire = 0, count = 0, cpu = 0;
  const kept: unknown[] = [];
  const byType = new Map<number, [number, number]>();
  backend.onPush((event) => {
    if (event.type === 'trade') return;
    const bytes = toBinary(pushMessagesOf(event.protoId).ResponseSchema, event.message);
    wire += 44 + bytes.length; count++;
    const t = byType.get(event.protoId) ?? [0, 0]; t[0]++; t[1] += bytes.length + 44; byType.set(event.protoId, t);
    kept.push(event);
    const t0 = performance.now();
    recorder.push(event);
    cpu += performance.now() - t0;
  });
  const symbols = ['HK.00700', 'HK.00005', 'HK.09988', 'US.AAPL', 'US.TSLA', 'US.NVDA', 'SH.600519', 'HK.00388', 'HK.03690', 'HK.01810'];
  const streams = symbols.flatMap((symbol) => [1, 2, 4, 5, 11].map((subType) => ({ symbol, subType, rehabType: subType === 11 ? 1 : 0, extendedTime: false })));
  console.log((await backend.subscribe(streams)) as never);
  await new Promise((r) => setTimeout(r, 45000));
  await backend.stop();
  await recorder.close();
  let bytes = 0;
  for (const f of await readdir(folder)) bytes += (await stat(join(folder, f))).size;
  console.log({ count, wire, bytes, ratio: bytes / wire, perEvent: bytes / count, usPerEvent: (cpu * 1000) / count, byType });
  for (let round = 0; round < 3; round++) {
    const t0 = performance.now();
    let n = 0;
    for (const f of (await readdir(folder)).sort()) for await (const batch of readRecording(join(folder, f))) n += batch.length;
    console.log(n, ((n / (performance.now() - t0)) * 1000).toFixed(0), 'events/s');
  }
}, 100000);
