import type { CountingClock } from '../../support/counting-clock.js';
import type { TestDaemon } from '../../support/daemon.js';

/** An order as the brokerage itself has it. */
export interface OrderThere {
  readonly idEx: string;
  readonly quantity: number;
  /** Trd_Common.OrderStatus. */
  readonly status: number;
  /** It can still change. */
  readonly open: boolean;
}

/** A daemon, what stands behind it, and what can go wrong between them. */
export interface Stage {
  readonly daemon: TestDaemon<'desk'>;
  /** The daemon's. */
  readonly clock: CountingClock;
  /** Connections that the daemon has when all is well. */
  readonly connections: number;
  /** Connections that there are, by the other side's count. */
  connected(): number;
  /** Has something go wrong, by chance, from now until {@link calm}. Resolves when it may. */
  disturb(random: () => number): Promise<void>;
  /** Nothing goes wrong any more; resolves when the daemon is ready again. */
  calm(): Promise<void>;
  /** Every order that there is, of all accounts. */
  orders(): readonly OrderThere[];
  stop(): Promise<void>;
}

/** The state of a daemon's connections, for the message of a timeout. */
export function describeStatus({ daemon }: TestDaemon): string {
  const { platform, brokers } = daemon.backend.status();
  const said = [platform, ...brokers].map(({ lifecycleState, lastLifecycleEvent }) => `${lifecycleState} (${lastLifecycleEvent})`);
  return `readiness; connections: ${said.join('; ')}`;
}

/** One of these. */
export function pick<T>(random: () => number, choices: readonly T[]): T {
  const picked = choices[Math.floor(random() * choices.length)];
  if (picked === undefined) throw new Error('there is nothing to pick from');
  return picked;
}
