import { systemClock } from '@svc-gateway/contract/clock';
import { packetEncAlgo, readRsaKey } from '@svc-gateway/wire';
import { afterEach, expect, it } from 'vitest';
import { generateRsaKey } from '../../../../test/support/rsa-key.js';
import { ScriptedServer } from '../../../../test/support/scripted-server.js';
import { opendBackend } from './index.js';

const GLOBAL_STATE = 1002;
const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it.each([
  [true, [packetEncAlgo.aesCbc]],
  [false, [packetEncAlgo.aesCbc, packetEncAlgo.ownEcb]],
])('an upstream is spoken to in the mode that it knows (CBC: %s)', async (knowsCbc, asked) => {
  const pem = generateRsaKey();
  const server = await ScriptedServer.listen(pem);
  cleanups.push(() => server.close());
  server.knowsCbc = knowsCbc;
  const rsaKey = readRsaKey(pem);
  if (!rsaKey.ok) throw new Error(rsaKey.message);
  const backend = opendBackend({
    endpoint: server.endpoint,
    rsaKey: rsaKey.key,
    clock: systemClock,
    logger: silent,
    clientId: 'test',
    random: () => 0,
  });
  cleanups.push(() => backend.stop());
  await backend.start();
  await server.request(GLOBAL_STATE);
  expect(server.connections.map(({ init }) => init?.packetEncAlgo)).toEqual(asked);
});
