import { replayClock } from '@svc-gateway/contract/clock';
import type { OrderedFault } from '../../../packages/sim-server/src/faults/wire-fault.js';
import { CountingClock } from '../../support/counting-clock.js';
import type { TestDaemon } from '../../support/daemon.js';
import { startVerified } from '../../support/remote-daemon.js';
import { SimServe } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';
import { OrdersThere } from './orders-there.js';
import { describeStatus, pick, type Stage } from './stage.js';

const POINTS = ['platform', '1001', '1007', '1008'] as const;
/** Requests of platform and brokers: handshakes, states, accounts and their pushes, orders and their lists, subscriptions, quotes. */
const REQUESTS = [1001, 1002, 2001, 2008, 2201, 2202, 2202, 2205, 2227, 2227, 2211, 3001, 3203] as const;
const PUSHES = [2208, 2218, 3005] as const;
/** Login results: every one that the service knows, except success. */
const REFUSED_LOGINS = [2, 11, 15, 20, 21, 23, 45, 99] as const;
/** Common.RetType: failed, timeout, disconnected, unknown. */
const REFUSALS = [-1, -100, -200, -400] as const;
const FAULTS_TOGETHER = 6;

/** A daemon that logs in to a brokerage, which has faults ordered of it. */
export class RemoteStage implements Stage {
  readonly connections = POINTS.length;
  readonly #there = new OrdersThere();

  private constructor(
    readonly daemon: TestDaemon<'desk' | 'admin'>,
    readonly clock: CountingClock,
    private readonly brokerage: SimServe,
  ) {
    this.#there.follow(brokerage.simulation);
    this.#answerCodes();
  }

  static async start(speed: number): Promise<RemoteStage> {
    const shared = replayClock(Date.now(), speed);
    const brokerage = await SimServe.start({ clock: shared, simulation: { clock: shared } });
    const clock = new CountingClock(shared);
    const scopes = ['qot:read', 'qot:state', 'acc:read', 'trade:simulate'] as const;
    const daemon = await startVerified(brokerage, { keys: { desk: { scopes }, admin: { scopes: ['admin'] } }, clock });
    return new RemoteStage(daemon, clock, brokerage);
  }

  connected(): number {
    return Object.values(this.brokerage.faults.connections).reduce((sum, count) => sum + count, 0);
  }

  async disturb(random: () => number): Promise<void> {
    const { faults, login, sessions, devices } = this.brokerage;
    const count = Math.floor(random() * FAULTS_TOGETHER);
    for (let ordered = 0; ordered < count; ordered++) faults.order(faultOf(random));
    const drawn = random();
    if (drawn < 0.2) faults.cut(pick(random, POINTS));
    else if (drawn < 0.3) faults.cut();
    else if (drawn < 0.45) await faults.down(pick(random, POINTS), 5_000 * random());
    else if (drawn < 0.6) {
      // Kicked out: another login has taken this one's place.
      sessions.expireAll();
      faults.cut();
    } else if (drawn < 0.65) await this.#restart();
    else if (drawn < 0.68) {
      await devices.expireAll();
      sessions.expireAll();
      faults.cut(pick(random, POINTS));
    } else if (drawn < 0.75) {
      login.order(pick(random, REFUSED_LOGINS), 1);
      sessions.expireAll();
      faults.cut(pick(random, POINTS));
    }
  }

  async calm(): Promise<void> {
    const { faults } = this.brokerage;
    faults.clear();
    await faults.up();
    await until(
      async () => {
        if (this.daemon.daemon.gateway.readiness.awaited() === undefined) return true;
        await this.#enterCodeAgain();
        const { platform, brokers } = this.daemon.daemon.backend.status();
        // As an operator who has put right what was wrong.
        const isFailed = [platform, ...brokers].some(({ lifecycleState }) => lifecycleState === 'failed');
        if (isFailed) await this.daemon.as('admin').post('/api/admin/reload');
        return false;
      },
      () => describeStatus(this.daemon),
    );
  }

  orders(): ReturnType<OrdersThere['all']> {
    return this.#there.all();
  }

  async stop(): Promise<void> {
    await this.daemon.stop();
    await this.brokerage.stop();
  }

  async #restart(): Promise<void> {
    await this.brokerage.halt();
    await this.brokerage.boot();
    this.#there.follow(this.brokerage.simulation);
  }

  /** The service's reaction to a code may have been an injected fault: enter the code once more. */
  async #enterCodeAgain(): Promise<void> {
    const { login } = this.daemon.daemon;
    const sent = this.brokerage.codes.at(-1);
    if (login?.awaitsCode !== true || sent === undefined) return;
    const { ok } = await login.answer(sent.code);
    if (!ok) await login.requestCode();
  }

  /** A code that is sent is entered. */
  #answerCodes(): void {
    void this.brokerage.nextCode().then((code) => {
      void this.daemon.daemon.login?.answer(code);
      this.#answerCodes();
    });
  }
}

function faultOf(random: () => number): OrderedFault {
  const request = { protoId: pick(random, REQUESTS) };
  const push = { protoId: pick(random, PUSHES) };
  const faults: readonly OrderedFault[] = [
    { kind: 'delay', ms: 3_000 * random(), ...request },
    { kind: 'no_answer', ...request },
    { kind: 'lost_request', ...request },
    { kind: 'refuse', text: 'the server is out of order', retType: pick(random, REFUSALS), ...request },
    { kind: 'half_frame', ...pick(random, [request, push]) },
    { kind: 'wrong_digest', ...pick(random, [request, push]) },
    { kind: 'cut', ...pick(random, [request, push]) },
    { kind: 'push_twice', ...push },
    { kind: 'push_late', ms: 3_000 * random(), ...push },
  ];
  return pick(random, faults);
}
