import { count, type FaultActions, oneOf, required } from '../faults/fault-action.js';
import type { Authority } from '../login/authority.js';
import type { Devices } from '../login/devices.js';
import { type RetType, retTypes } from '../login/ret-type.js';
import type { Sessions } from '../login/sessions.js';

/** Parts of a login that faults disturb. */
interface LoginDeps {
  readonly login: Authority;
  readonly sessions: Sessions;
  readonly devices: Devices;
}

/** Faults that can be ordered of the login service. */
export function brokerageActions({ login, sessions, devices }: LoginDeps): FaultActions {
  return {
    /** The next logins are answered with this `ret_type`. */
    login: {
      params: { ret_type: required(oneOf(retTypes)), times: count },
      run: ({ ret_type, times }) => login.order(ret_type as RetType, times as number | undefined),
      pending: () => login.ordered.map((ret_type) => ({ ret_type })),
      clear: () => login.clear(),
    },
    /** Session keys open no more connections. */
    expire_sessions: { params: {}, run: () => sessions.expireAll() },
    /** Saved tickets are answered with `ret_type` 15. */
    expire_tickets: { params: {}, run: () => devices.expireAll() },
  };
}
