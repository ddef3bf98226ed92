import { replayClock } from '@svc-gateway/contract/clock';
import type { Frame } from '@svc-gateway/wire';
import { CountingClock } from '../../support/counting-clock.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import { type Direction, type Fate, FaultyWire } from '../../support/faulty-wire.js';
import { SimOpend } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';
import { OrdersThere } from './orders-there.js';
import { describeStatus, pick, type Stage } from './stage.js';

/** Fraction of frames that are disturbed. */
const DISTURBED_SHARE = 0.1;
/** Pushes. One that is lost on a connection that goes on there is not; a request that is never answered there is. */
const PUSHES = new Set([1003, 2208, 2218, 3005]);

/** A daemon in front of an upstream that is as strict as they are, over a wire that loses, delays, spoils and cuts. */
export class OpendStage implements Stage {
  readonly connections = 1;
  readonly #there = new OrdersThere();
  #kickedOut = false;

  private constructor(
    readonly daemon: TestDaemon<'desk'>,
    readonly clock: CountingClock,
    private readonly upstream: SimOpend,
    private readonly wire: FaultyWire,
  ) {
    this.#there.follow(upstream.simulation);
  }

  static async start(speed: number): Promise<OpendStage> {
    const shared = replayClock(Date.now(), speed);
    const upstream = await SimOpend.start({ clock: shared, simulation: { clock: shared } });
    const wire = await FaultyWire.to(upstream.address);
    const clock = new CountingClock(shared);
    const daemon = await TestDaemon.start({
      keys: { desk: { scopes: ['qot:read', 'qot:state', 'acc:read', 'trade:simulate'] } },
      flags: ['--backend', `opend://${wire.address}`, '--enable-trading'],
      clock,
    });
    await untilConnected(daemon.daemon);
    return new OpendStage(daemon, clock, upstream, wire);
  }

  connected(): number {
    return this.wire.open;
  }

  async disturb(random: () => number): Promise<void> {
    const { wire, upstream } = this;
    wire.fate = (frame, direction) => fateOf(random, frame, direction);
    const drawn = random();
    if (drawn < 0.3) wire.cut();
    else if (drawn < 0.4) wire.down = true;
    else if (drawn < 0.5) await upstream.server.restart(5_000 * random());
    else if (drawn < 0.6) {
      upstream.server.kickOut();
      this.#kickedOut = true;
    } else if (drawn < 0.7) {
      upstream.server.setLogins(random() < 0.5, random() < 0.5);
      this.#kickedOut = true;
    }
  }

  async calm(): Promise<void> {
    const { wire, upstream } = this;
    wire.fate = () => 'pass';
    wire.down = false;
    await upstream.faults.up();
    if (this.#kickedOut) upstream.server.logInAgain();
    this.#kickedOut = false;
    await until(
      () => this.daemon.daemon.gateway.readiness.awaited() === undefined,
      () => describeStatus(this.daemon),
    );
  }

  orders(): ReturnType<OrdersThere['all']> {
    return this.#there.all();
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    await this.wire.close();
    await this.upstream.stop();
  }
}

function fateOf(random: () => number, { protoId }: Frame, direction: Direction): Fate {
  if (random() > DISTURBED_SHARE) return 'pass';
  const fates: Fate[] = [PUSHES.has(protoId) ? 'cut' : 'drop', 'cut', 'half', 'last', 'spoil', { delayMs: Math.floor(random() * 200) }];
  // A server may say a thing twice. What it is sent comes once or not at all: TCP sees to that, and the daemon sends nothing twice.
  if (direction === 'answer') fates.push('twice');
  return pick(random, fates);
}
