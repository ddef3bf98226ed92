import { TestDaemon, type TestDaemonOptions, untilConnected } from './daemon.js';
import { FaultyWire } from './faulty-wire.js';
import type { KeyWish } from './keys.js';

const everything = [
  'qot:read',
  'qot:state',
  'qot:write',
  'acc:read',
  'trade:real',
  'trade:simulate',
  'trade:unlock',
  'auth:setup',
  'admin',
] as const;

/** Two daemons: one in front of the other, which it takes for any upstream of the public protocol. */
export interface Chain<Id extends string> {
  readonly front: TestDaemon<Id>;
  /** Its core TCP serves the key `bridge`, and so does its REST. */
  readonly upstream: TestDaemon<'bridge'>;
  /** Between them. */
  readonly wire: FaultyWire;
  stop(): Promise<void>;
}

/** Starts the upstream, and in front of it a daemon of these options. Resolves when that is ready. */
export async function startChain<Id extends string>(
  options: TestDaemonOptions<Id> & {
    /** Flags of the upstream: its simulation, its RSA key. */
    readonly upstreamFlags?: readonly string[];
    readonly upstreamKey?: KeyWish;
  },
): Promise<Chain<Id>> {
  const { upstreamFlags = [], upstreamKey = { scopes: everything }, ...own } = options;
  const upstream = await TestDaemon.start({
    keys: { bridge: upstreamKey },
    flags: ['--api-key-id', 'bridge', '--enable-trading', ...upstreamFlags],
  });
  const wire = await FaultyWire.to(upstream.daemon.apiAddress ?? '', upstreamFlags.includes('--api-rsa-key'));
  const backend = `opend://${wire.address}`;
  const front = await TestDaemon.start({ ...own, flags: ['--backend', backend, ...(own.flags ?? [])] });
  await untilConnected(front.daemon);
  return {
    front,
    upstream,
    wire,
    async stop() {
      await front.stop();
      await wire.close();
      await upstream.stop();
    },
  };
}
