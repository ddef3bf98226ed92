import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { systemClock } from '@svc-gateway/contract/clock';
import * as GetBasicQot from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import * as UpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as UpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import type { PushEvent } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recorded } from './event-reader.js';
import { Recorder, type RecorderOptions } from './index.js';
import { DamagedRecording, readRecording } from './recording-file.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Required fields of a quote. */
const whole = {
  security: { market: 1, code: '00700' },
  ...{ isSuspended: false, listTime: '', priceSpread: 0, updateTime: '', highPrice: 0, openPrice: 0, lowPrice: 0, curPrice: 0 },
  ...{ lastClosePrice: 0, volume: 0n, turnover: 0, turnoverRate: 0, amplitude: 0 },
};

const quote = (volume: number): PushEvent => ({
  type: 'quote',
  protoId: 3005,
  stream: { symbol: 'HK.00700', subType: 1, rehabType: 0, extendedTime: false },
  secKey: '1_00700',
  message: create(UpdateBasicQot.ResponseSchema, {
    retType: 0,
    s2c: { basicQotList: [{ ...whole, curPrice: 325.4, volume: BigInt(volume) }] },
  }),
});

async function started(options: Partial<RecorderOptions> = {}): Promise<Recorder> {
  const recorder = new Recorder({ folder, clock: systemClock, accountData: false, report: () => {}, ...options });
  await recorder.start();
  return recorder;
}

async function files(): Promise<string[]> {
  return (await readdir(folder)).sort().map((name) => join(folder, name));
}

async function read(paths: readonly string[]): Promise<Recorded[]> {
  const all: Recorded[] = [];
  for (const path of paths) for await (const batch of readRecording(path)) all.push(...batch);
  return all;
}

function volumes(recorded: readonly Recorded[]): number[] {
  return recorded.map((one) =>
    'event' in one ? Number((one.event.message as UpdateBasicQot.Response).s2c?.basicQotList[0]?.volume) : Number.NaN,
  );
}

const countTo = (end: number) => Array.from({ length: end }, (_, index) => index);

describe('a recorder', () => {
  it('spreads what it records over files, each of which can be read by itself', async () => {
    const recorder = await started({ fileBytes: 1 });
    const written = countTo(5);
    for (const volume of written) {
      recorder.push(quote(volume));
      await eventsWritten(recorder, volume + 1);
    }
    await recorder.close();
    const all = await files();
    expect(all.length).toBeGreaterThan(4);
    expect(volumes(await read(all))).toEqual(written);
    expect(((await stat(all[0] as string)).mode & 0o777).toString(8)).toBe('600');
  });

  it('reads a file that was cut off up to its last whole event, wherever the cut is', async () => {
    const recorder = await started();
    for (const volume of countTo(3)) {
      recorder.push(quote(volume));
      await eventsWritten(recorder, volume + 1);
    }
    await recorder.close();
    const [path = ''] = await files();
    const whole = await readFile(path);
    const seen = new Set<number>();
    for (let length = 0; length <= whole.length; length++) {
      await writeFile(path, whole.subarray(0, length));
      const got = volumes(await read([path]));
      expect(got).toEqual(countTo(got.length));
      seen.add(got.length);
    }
    expect([...seen]).toEqual([0, 1, 2, 3]);
  });

  it('tells a damaged file from one that was cut off', async () => {
    const recorder = await started();
    recorder.push(quote(1));
    await recorder.close();
    const [path = ''] = await files();
    const whole = await readFile(path);
    whole[whole.length - 1] = (whole.at(-1) as number) ^ 1;
    await writeFile(path, whole);
    await expect(read([path])).rejects.toThrow(/is damaged at byte 16$/);
    await writeFile(path, 'time,open,high');
    await expect(read([path])).rejects.toThrow(DamagedRecording);
  });

  it('records account events only on request', async () => {
    const order: PushEvent = {
      type: 'trade',
      protoId: 2208,
      accId: 7n,
      trdMarket: 1,
      message: create(UpdateOrder.ResponseSchema, { retType: 0 }),
    };
    const without = await started();
    without.push(order);
    without.push(quote(1));
    await without.close();
    expect(volumes(await read(await files()))).toEqual([1]);
    await rm(folder, { recursive: true });
    const recorder = await started({ accountData: true });
    recorder.push(order);
    await recorder.close();
    expect((await read(await files())).map((one) => 'event' in one && one.event.source)).toEqual([
      { kind: 'trade', protoId: 2208, accId: '7', trdMarket: 1 },
    ]);
  });

  it('records an answer only when it differs from the last one to the same request', async () => {
    const recorder = await started();
    const answer = (volume: number) =>
      create(GetBasicQot.ResponseSchema, {
        retType: 0,
        s2c: { basicQotList: [{ ...whole, volume: BigInt(volume) }] },
      });
    for (const volume of [1, 1, 2]) recorder.answer('get_quote', new Uint8Array([volume > 1 ? 1 : 0]), answer(volume));
    recorder.answer('get_quote', new Uint8Array([0]), answer(1));
    recorder.answer('get_quote', new Uint8Array([0]), answer(3));
    await recorder.close();
    expect(await read(await files())).toHaveLength(3);
  });

  it('reports events lost during a disk failure, and continues afterwards', async () => {
    const reports: string[] = [];
    let monotonic = 0;
    const clock = { ...systemClock, monotonic: () => monotonic };
    const recorder = await started({ clock, fileBytes: 1, report: (message) => reports.push(message) });
    recorder.push(quote(0));
    // Nothing can be made in it: the next file fails.
    await rename(folder, `${folder}-away`);
    await recorder.flush();
    expect(recorder.failure).toMatch(/ENOENT/);
    recorder.push(quote(1));
    recorder.push(quote(2));
    await recorder.flush();
    expect([recorder.eventsWritten, recorder.eventsLost]).toEqual([1, 2]);
    await rename(`${folder}-away`, folder);
    monotonic = 60_000;
    // The first one finds out that the disk is back.
    recorder.push(quote(3));
    await recorder.flush();
    recorder.push(quote(4));
    await recorder.close();
    const all = await read(await files());
    expect(volumes(all)).toEqual([0, Number.NaN, 4]);
    expect(all[1]).toMatchObject({ loss: { events: 3 } });
    expect(reports).toEqual([
      expect.stringMatching(/^nothing is recorded into .*ENOENT.*; trying again every 30 s$/),
      expect.stringMatching(/^recording again into /),
    ]);
  });
});

/** Resolves when so many events are in the files. */
async function eventsWritten(recorder: Recorder, count: number): Promise<void> {
  await recorder.flush();
  expect(recorder.eventsWritten).toBe(count);
}
