/**
 * Size of a recording on disk, and its playback speed: minutes of pushes of ten liquid symbols, recorded as fast as they can be
 * made. Broker queues are apart: one is as long as ten other pushes.
 *
 *   node bench/recording.mjs [minutes]
 *
 * The limit of its size is the same pushes as core TCP carries them: protobuf bodies with their headers. Playing is reading the files
 * and handing every event out, on a clock that does not wait.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toBinary } from '@bufbuild/protobuf';
import { createSimBackend } from '@svc-gateway/backends/sim';
import { ManualClock } from '@svc-gateway/contract/clock';
import { pushMessagesOf } from '@svc-gateway/gateway/push';
import { Playback, Recorder } from '@svc-gateway/recording';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore } from '@svc-gateway/storage';
import { temporaryFolder } from './lib/fixture.mjs';
import { number, report } from './lib/report.mjs';
import { median, spread } from './lib/statistics.mjs';

const minutes = Number(process.argv[2] ?? 5);
const PLAYED_TIMES = 5;
const WIRE_SHARE = 5;
const EVENTS_PER_SECOND = 30_000;
const HEADER_BYTES = 44;
const BROKER_QUEUE = 14;
const START = Date.UTC(2026, 10, 20, 2, 30);
const symbols = ['00700', '00005', '09988', '00388', '03690', '01810', '00941', '02318', '01299', '00939'].map((code) => `HK.${code}`);
const mixes = {
  'quotes, books, trades, time-share and K-lines': [1, 2, 4, 5, 11],
  'the same with broker queues': [1, 2, 4, 5, 11, 14],
};

const figures = [];
for (const [name, subTypes] of Object.entries(mixes)) figures.push(...(await figuresOf(name, subTypes)));
report(figures);

async function figuresOf(name, subTypes) {
  const folder = temporaryFolder();
  const clock = new ManualClock(START);
  const simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'calendar' });
  const backend = createSimBackend({ simulation, clock, logger: console });
  await backend.start();
  const recorder = new Recorder({ folder, clock, accountData: false, report: console.error });
  await recorder.start();

  let wireBytes = 0;
  let recordingMs = 0;
  backend.onPush((event) => {
    wireBytes += HEADER_BYTES + toBinary(pushMessagesOf(event.protoId).ResponseSchema, event.message).length;
    const began = performance.now();
    recorder.push(event);
    recordingMs += performance.now() - began;
  });
  const streams = symbols.flatMap((symbol) =>
    subTypes.map((subType) => ({ symbol, subType, rehabType: subType === 11 ? 1 : 0, extendedTime: false })),
  );
  const subscribed = await backend.subscribe(streams);
  if (subscribed.retType !== 0) throw new Error(subscribed.retMsg);
  for (let second = 0; second < minutes * 60; second++) {
    clock.advance(1000);
    // As a daemon does every second.
    await recorder.flush();
  }
  await recorder.close();
  await backend.stop();
  const files = readdirSync(folder).filter((name) => name.endsWith('.svcrec'));
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

  const rates = [];
  const microseconds = [];
  const late = { now: () => Number.POSITIVE_INFINITY };
  for (let count = 0; count < PLAYED_TIMES; count++) {
    const playback = await Playback.open(folder, START - 1, () => {});
    let events = 0;
    const cpu = process.cpuUsage();
    const began = performance.now();
    const listener = { event: () => (events += 1), loss: () => {}, end: () => {}, problem: (message) => console.error(message) };
    await playback.play(late, listener);
    if (events !== playback.events) throw new Error(`${events} of ${playback.events} events were played`);
    rates.push((events / (performance.now() - began)) * 1000);
    const { user, system } = process.cpuUsage(cpu);
    microseconds.push((user + system) / events);
  }

  const events = recorder.eventsWritten;
  const share = wireBytes / bytes;
  return [
    {
      name: `bytes of a recording: ${name}`,
      value: `${(bytes / events).toFixed(1)} bytes for each of ${number(events)} pushes`,
      limit: `core TCP ${(wireBytes / events).toFixed(1)} bytes`,
      ratio: share,
      floor: `≥ ${WIRE_SHARE}`,
      pass: share >= WIRE_SHARE,
    },
    { name: `recording: ${name}`, value: `${number((recordingMs * 1000) / events, 1)} µs a push, beside the compression` },
    {
      name: `playing: ${name}`,
      value: `${number(median(rates))} events/s, ${median(microseconds).toFixed(1)} µs CPU each`,
      spread: `${spread(rates, 0)}/s`,
      score: median(rates),
      ...(subTypes.includes(BROKER_QUEUE) ? {} : { floor: `≥ ${number(EVENTS_PER_SECOND)}/s`, pass: median(rates) >= EVENTS_PER_SECOND }),
    },
  ];
}
