import type { Readable } from 'node:stream';
import type { Login } from '@svc-gateway/backends/remote';
import { systemClock } from '@svc-gateway/contract/clock';
import { ConnectFailure } from '@svc-gateway/protocol-client';
import { promptForCode } from './code-prompt.js';
import { StartProblem } from './daemon.js';
import type { Logger } from './log.js';
import { openLogin } from './remote-login.js';
import type { Settings } from './settings-table.js';
import { openState } from './state.js';

/** The terminal of `svcd --setup-only`. */
export interface SetUpTerminal {
  /** Terminal input; undefined without a person at it. */
  readonly input: Readable | undefined;
  show(text: string): void;
}

/**
 * Logs in, has the device verified, and leaves the credentials for the daemon: `--setup-only`. Resolves with the user's number.
 * Throws {@link StartProblem} where the operator must do something first, such as starting it again with the code that was sent.
 */
export async function setUp(settings: Settings, logger: Logger, { input, show }: SetUpTerminal): Promise<bigint> {
  const { stateDir, configDir, acceptRestoredState: acceptRestored } = settings;
  // As a daemon does: its credentials are not replaced under its hands.
  const state = await openState({ stateDir, configDir, acceptRestored, clock: systemClock, logger });
  if (!state.ok) throw new StartProblem(state.error);
  try {
    const login = openLogin(settings, systemClock, logger);
    if (typeof login === 'string') throw new StartProblem(login);
    const endPrompt = input === undefined ? () => undefined : promptForCode(login, input, show);
    try {
      const grant = await Promise.race([login.session(), input === undefined ? codeAwaited(login) : inputEnded(input, login)]);
      return grant.userId;
    } catch (thrown) {
      throw thrown instanceof ConnectFailure ? new StartProblem(thrown.message) : thrown;
    } finally {
      endPrompt();
      login.stop();
    }
  } finally {
    await state.value.close();
  }
}

/** Rejects once a code is needed without a terminal to type it. */
function codeAwaited(login: Login): Promise<never> {
  return new Promise((_, reject) => {
    login.onProgress(() => {
      if (login.awaitsCode && login.progress !== '') reject(new StartProblem(login.progress));
    });
  });
}

/** Rejects once the input ends. */
function inputEnded(input: Readable, login: Login): Promise<never> {
  return new Promise((_, reject) => {
    input.once('end', () => reject(new StartProblem(login.progress || 'the input ended before the login did')));
  });
}
