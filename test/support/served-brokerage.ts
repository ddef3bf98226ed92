import { type Clock, ManualClock, replayClock, steadyClock, systemClock } from '@svc-gateway/contract/clock';
import type { Daemon } from '@svc-gateway/daemon/daemon';
import { planStartup } from '@svc-gateway/daemon/startup';
import type { BackendBehind } from './backend-behind.js';
import { networkClock } from './network-clock.js';
import { partedFlags } from './parted-flags.js';
import { ACCOUNT, PASSWORD, SimServe } from './sim-serve.js';

/** The simulation of a daemon under test, as a brokerage that it logs in to. */
export class ServedBrokerage implements BackendBehind {
  #served: SimServe | undefined;

  async boot({
    flags = [],
    variables = {},
    clock,
    simulationClock = clock,
  }: Parameters<BackendBehind['boot']>[0]): Promise<readonly string[]> {
    const { own, others } = partedFlags(flags);
    // One that a test moves by hand is everybody's: the service compares the times of logins with its own.
    const shared = clock instanceof ManualClock ? { clock: networkClock(clock) } : {};
    this.#served ??= await SimServe.start({ simulation: simulationOf(own, variables, simulationClock), ...shared });
    const login = ['--login-account', ACCOUNT, '--login-pwd', PASSWORD];
    return ['--backend', 'remote', '--auth-url', this.#served.authUrl, ...login, ...others];
  }

  /** A device that is new is verified by the code that is sent to it. */
  admit({ login }: Daemon): void {
    void this.#served?.nextCode().then((code) => login?.answer(code));
  }

  async stop(): Promise<void> {
    await this.#served?.stop();
  }
}

/** The clock is the world's alone: a network that ran faster than time would be none. */
function simulationOf(flags: readonly string[], variables: Readonly<Record<string, string>>, clock: Clock = systemClock) {
  const startup = planStartup(flags, { variables, home: '/', cwd: '/', platform: process.platform });
  if (startup.kind !== 'run') throw new Error(startup.text);
  const { simClock, simSeed, simInstruments, simTradePassword, historyKlQuotaMax } = startup.settings;
  return {
    seed: simSeed,
    generatedInstruments: simInstruments,
    tradePassword: simTradePassword,
    clock: simClock.mode === 'replay' ? replayClock(simClock.start, simClock.speed, clock) : steadyClock(clock),
    calendarMode: simClock.mode === 'open' ? ('open' as const) : ('calendar' as const),
    ...(historyKlQuotaMax === null ? {} : { historyKlQuotaMax }),
  };
}
