import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import { type PushBackend, PushHub } from '@svc-gateway/gateway/push';
import { expect, it } from 'vitest';

const bench = new URL('../../bench/', import.meta.url);
const lib = new URL('lib/', bench);

it('the table of figures keeps thousands separators', async () => {
  const { tableOf, number } = await import(new URL('report.mjs', lib).href);
  const table: string = tableOf([
    { name: 'rest', value: `${number(12_932)}/s, p50 1.2 ms`, limit: `node:http ${number(14_001)}/s, p50 1 ms` },
  ]);
  expect(table.split('\n')[1]?.split(/\s{2,}/)).toEqual(['rest', '12,932/s', 'node:http 14,001/s']);
});

it('the made live data is a whole backend to the push path', async () => {
  const { madeLiveData } = await import(new URL('live-data.mjs', lib).href);
  const made: { liveData: PushBackend; publish: (event: unknown) => void } = madeLiveData();
  const hub = new PushHub({ backend: made.liveData, clock: new ManualClock(0), onDefect: (error) => expect.unreachable(String(error)) });
  const heard: unknown[] = [];
  const format = { numbering: { width: () => 0, write: () => undefined }, event: () => undefined, gap: () => undefined };
  const sink = { bufferedBytes: 0, write: () => 0, close: () => undefined };
  const wants = (event: unknown) => heard.push(event) === 0;
  hub.connect({ iface: 'ws', owner: 'anonymous', permits: () => true, wants, format: format as never, sink });
  const stream = { symbol: 'HK.00700', subType: 1, rehabType: 0, extendedTime: false };
  expect(await hub.subscribe('anonymous', [stream], { push: true, first: true })).toMatchObject({ ok: true });
  const event = { type: 'notify', protoId: 1003, message: create(Notify.ResponseSchema) };
  made.publish(event);
  expect(heard).toEqual([event]);
  hub.stop(1001, 'done');
});

it.each(['gateway.mjs', 'gateway-grpc.mjs', 'core.mjs'])('servers/%s starts with what the program offers today', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const server = fork(fileURLToPath(new URL(`servers/${name}`, bench)), [
    JSON.stringify({ folder, auditFile: join(folder, 'audit.jsonl') }),
  ]);
  try {
    const ended = once(server, 'exit').then(([status]) => expect.unreachable(`it ended with status ${status}`));
    expect(await Promise.race([once(server, 'message'), ended])).toEqual([expect.anything(), undefined]);
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
