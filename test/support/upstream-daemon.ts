import { TestDaemon, type TestDaemonOptions } from './daemon.js';
import { partedFlags } from './parted-flags.js';

const scopes = ['qot:read', 'qot:state', 'qot:write', 'acc:read', 'trade:real', 'trade:simulate', 'trade:unlock', 'auth:setup'] as const;

type Boot = Omit<TestDaemonOptions<never>, 'keys'>;

/** The simulation of a daemon under test, as an upstream of its own. */
export class UpstreamDaemon {
  readonly #daemon: TestDaemon<'bridge'>;
  #bootedWith = '';

  private constructor(daemon: TestDaemon<'bridge'>) {
    this.#daemon = daemon;
  }

  /** One that is not started yet. */
  static async create(): Promise<UpstreamDaemon> {
    const daemon = new TestDaemon<'bridge'>(true);
    await daemon.addKey('bridge', { scopes });
    return new UpstreamDaemon(daemon);
  }

  /** Runs with what is its part of these options; the flags of the daemon in front of it. */
  async boot({ flags = [], variables = {}, clock, simulationClock = clock }: Boot): Promise<readonly string[]> {
    const { own: simulated, others } = partedFlags(flags);
    // Switches are of both.
    const own = [...simulated, ...others.filter((flag) => flag.startsWith('--enable-'))];
    const trading = own.includes('--enable-trading') ? [] : ['--enable-trading'];
    const upstreamFlags = ['--backend', 'sim', '--api-key-id', 'bridge', ...trading, ...own];
    const sim = Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('SVC_SIM_')));
    const wanted = JSON.stringify([upstreamFlags, sim]);
    if (this.#bootedWith !== wanted) {
      await this.#daemon.halt();
      await this.#daemon.boot({ flags: upstreamFlags, variables: sim, ...(simulationClock === undefined ? {} : { simulationClock }) });
      this.#bootedWith = wanted;
    }
    return ['--backend', `opend://${this.#daemon.daemon.apiAddress}`, ...others];
  }

  stop(): Promise<void> {
    return this.#daemon.stop();
  }
}
