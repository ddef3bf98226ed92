import { type Clock, systemClock } from '../../src/contract/clock.js';
import type { Settings } from '../../src/daemon/settings-table.js';
import type { Daemon } from '../../src/entry/daemon.js';
import { ACCOUNT, PASSWORD, SimServe } from './sim-serve.js';

/**
 * What stands behind the daemons of the end-to-end suites: by default the simulated brokerage in their own process; with
 * `SVC_TEST_BACKEND=remote` one that serves them over sockets.
 */
export class BrokerageBehind {
  readonly #served: SimServe;

  private constructor(served: SimServe) {
    this.#served = served;
  }

  /** undefined where the daemon is to have its own. */
  static async start(settings: Settings, clock: Clock = systemClock): Promise<BrokerageBehind | undefined> {
    if (process.env.SVC_TEST_BACKEND !== 'remote' || settings.backend !== 'sim' || settings.simData !== null) return undefined;
    const { simClock, simSeed, simInstruments, simTradePassword, historyKlQuotaMax } = settings;
    const simulation = {
      seed: simSeed,
      generatedInstruments: simInstruments,
      tradePassword: simTradePassword,
      calendarMode: simClock.mode === 'open' ? ('open' as const) : ('calendar' as const),
      ...(historyKlQuotaMax === null ? {} : { historyKlQuotaMax }),
    };
    return new BrokerageBehind(await SimServe.start({ clock, simulation }));
  }

  /** The settings of a daemon with this behind it. */
  behind(settings: Settings): Settings {
    return { ...settings, backend: 'remote', authUrl: this.#served.authUrl, loginAccount: ACCOUNT, loginPwd: PASSWORD };
  }

  /** Resolves when the daemon is logged in and serves; a device that is new is verified. */
  async admit({ gateway, login }: Daemon): Promise<void> {
    void this.#served.nextCode().then((code) => login?.answer(code));
    if (gateway.ready) return;
    await new Promise<void>((resolve) => {
      const stop = gateway.onReady((ready) => {
        if (!ready) return;
        stop();
        resolve();
      });
    });
  }

  stop(): Promise<void> {
    return this.#served.stop();
  }
}
