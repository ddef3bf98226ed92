import { replayClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { TestDaemon } from '../support/daemon.js';
import type { PublicPush, PushLog } from '../support/public-protocol.js';

const PRICE_REMINDER = 3019;
const scopes = ['qot:read', 'qot:write'] as const;

const daemon = TestDaemon.forAll({
  simulationClock: replayClock(Date.now(), 60),
  keys: { desk: { scopes, sdk: true } },
  // Core TCP has one key for all.
  flags: ['--api-key-id', 'desk'],
});

/** A connection: the first price reminder that it is told, by the public names of its fields. */
interface Ear {
  reminder(): Promise<Record<string, unknown>>;
  close(): void | Promise<void>;
}

const isReminder = (frame: Record<string, unknown>) => frame.proto_id === PRICE_REMINDER;

/** A frame's body has the names of our JSON, and its 64-bit integers as numbers. */
function fromFrame({ body }: Record<string, unknown>): Record<string, unknown> {
  const { key, set_value: setValue, ...others } = body as Record<string, unknown>;
  return { ...others, key: String(key), setValue };
}

async function fromLog(pushes: PushLog): Promise<Record<string, unknown>> {
  const [first] = (await pushes.count('Qot_UpdatePriceReminder', 1)) as [PublicPush];
  return first.response.s2c ?? {};
}

const interfaces: Readonly<Record<string, () => Promise<Ear>>> = {
  async '/ws'() {
    const client = await daemon.push('desk');
    return { reminder: async () => fromFrame(await client.frame(isReminder, 'the reminder')), close: () => client.close() };
  },
  async gRPC() {
    const client = daemon.grpc();
    const stream = await client.open({ key: daemon.keys.desk, event_types: ['notify'] });
    const event = () => stream.next(({ proto_id }) => proto_id === PRICE_REMINDER);
    return {
      reminder: async () => (await client.decode('Qot_UpdatePriceReminder', await event())).s2c,
      close: () => client.act('cancel', stream.name),
    };
  },
  async 'core TCP'() {
    const client = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    return { reminder: () => fromLog(client.pushes), close: () => client.close() };
  },
  async 'core WebSocket'() {
    const client = await CoreWsClient.open(daemon.daemon.websocketUrl ?? '', daemon.keys.desk, daemon.ca);
    return { reminder: () => fromLog(client.pushes), close: () => client.close() };
  },
  async MCP() {
    const client = await daemon.mcp('desk');
    return { reminder: async () => fromFrame((await client.pushed(isReminder, 1))[0] ?? {}), close: () => client.close() };
  },
};

describe('a price reminder that comes true', () => {
  it.each(Object.keys(interfaces))('is told over %s', async (name) => {
    const ear = await (interfaces[name] as () => Promise<Ear>)();
    const wish = { symbol: 'HK.00700', op: 1, type: 1, freq: 3, value: 0.001, note: name };
    const { key } = await daemon.as('desk').s2c('/api/set-price-reminder', wish);
    expect(await ear.reminder()).toMatchObject({ security: { market: 1, code: '00700' }, key: String(key), setValue: 0.001, note: name });
    await ear.close();
  });
});
