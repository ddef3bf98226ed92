import { type FaultActions, milliseconds, required, yesNo } from '../faults/fault-action.js';
import type { ServerState } from './server-state.js';

/** Upstream that faults act on. */
interface Upstream {
  readonly state: ServerState;
  kickOut(): void;
  logInAgain(): void;
  restart(downMs?: number): Promise<void>;
  forgetSubscriptions(): Promise<void>;
  setLogins(quotes: boolean, trading: boolean): void;
}

/** Faults that can be ordered of an upstream. */
export function opendActions(server: Upstream): FaultActions {
  return {
    kick_out: { params: {}, run: () => server.kickOut() },
    log_in_again: { params: {}, run: () => server.logInAgain() },
    restart: { params: { ms: milliseconds }, run: ({ ms }) => server.restart(ms as number | undefined) },
    forget_subscriptions: { params: {}, run: () => server.forgetSubscriptions() },
    logins: {
      params: { quotes: required(yesNo), trading: required(yesNo) },
      run: ({ quotes, trading }) => server.setLogins(quotes === true, trading === true),
    },
    await_code: {
      params: { on: required(yesNo) },
      run: ({ on }) => {
        server.state.awaitsCode = on === true;
      },
    },
    first_data: {
      params: { ms: required(milliseconds) },
      run: ({ ms }) => {
        server.state.firstDataMs = Number(ms);
      },
    },
  };
}
