import * as QotUpdateOptionEvent from '@svc-gateway/contract/generated/Qot_UpdateOptionEvent_pb';
import * as QotUpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import type { PushClient } from '../../support/push-client.js';
import { ScriptedServer } from '../../support/scripted-server.js';
import { answersUsually } from '../../support/usual-answers.js';

const apple = { market: 11, code: 'AAPL' };
const option = { market: 11, code: 'AAPL261218C280000' };
const reminder = { price: 600, changeRate: 1, marketStatus: 1, content: '…', note: 'high', key: 7n, type: 1, setValue: 590, curValue: 600 };

type Id = 'all' | 'us' | 'apple' | 'hk';
let upstream: ScriptedServer;
let daemon: TestDaemon<Id>;

beforeAll(async () => {
  upstream = await ScriptedServer.listen();
  upstream.onRequest = answersUsually();
  const scopes = ['qot:read'] as const;
  daemon = await TestDaemon.start<Id>({
    keys: {
      all: { scopes },
      us: { scopes, limits: { allowedMarkets: 'US' } },
      apple: { scopes, limits: { allowedSymbols: 'US.AAPL' } },
      hk: { scopes, limits: { allowedMarkets: 'HK' } },
    },
    flags: ['--backend', `opend://127.0.0.1:${upstream.port}`],
  });
  await untilConnected(daemon.daemon);
});
afterAll(async () => {
  await daemon.stop();
  await upstream.close();
});

/** The frames of a protocol id that each key's connection was told, when the last that may see one has it. */
async function told(protoId: number, seeing: readonly Id[], push: () => void): Promise<Readonly<Record<Id, object[]>>> {
  const ids: readonly Id[] = ['all', 'us', 'apple', 'hk'];
  const connections: [Id, PushClient][] = [];
  for (const id of ids) connections.push([id, await daemon.push(id)]);
  push();
  const isIt = ({ proto_id }: { proto_id?: number }) => proto_id === protoId;
  for (const [id, client] of connections) if (seeing.includes(id)) await client.frame(isIt, `${protoId} to ${id}`);
  for (const [, client] of connections) await client.settled();
  return Object.fromEntries(connections.map(([id, { frames }]) => [id, frames.filter(isIt)])) as Record<Id, object[]>;
}

describe('what an upstream tells of the login user’s own', () => {
  it('is forwarded for a met price reminder, to keys that may see the security', async () => {
    const s2c = { security: apple, ...reminder };
    const frames = await told(3019, ['all', 'us', 'apple'], () => upstream.peer.push(3019, QotUpdatePriceReminder, { retType: 0, s2c }));
    const frame = { type: 'notify', proto_id: 3019, body: { security: apple, key: 7, set_value: 590, note: 'high' } };
    expect(frames).toMatchObject({ all: [frame], us: [frame], apple: [frame], hk: [] });
  });

  it('is forwarded for unusual option trading, to keys that may see the option', async () => {
    const s2c = { owner: apple, option, message: 'a large trade' };
    const frames = await told(3310, ['all', 'us'], () => upstream.peer.push(3310, QotUpdateOptionEvent, { retType: 0, s2c }));
    const frame = { type: 'notify', proto_id: 3310, body: { owner: apple, option, message: 'a large trade' } };
    expect(frames).toMatchObject({ all: [frame], us: [frame], apple: [], hk: [] });
  });
});
