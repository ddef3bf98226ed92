import { Rejection } from '@svc-gateway/contract/rejection';
import { type ControlActions, type ControlListener, listenForControl } from '@svc-gateway/control/control-listener';
import type { ControlArgument } from '@svc-gateway/control/control-socket';
import { type AccountCancels, cancelsInWords, type Gateway } from '@svc-gateway/gateway';
import type { Logger } from './log.js';
import type { Reloaded } from './reloader.js';

/** Caller of halts over the socket, which only the daemon's own user can reach. */
const OWN_USER = 'svcctl';

/** Socket that `svcctl reload`, `halt` and `resume` talk to. A daemon without it still takes signals and administration. */
export async function openControl(
  stateDir: string,
  gateway: Gateway,
  reloading: () => Promise<Reloaded>,
  logger: Logger,
): Promise<() => Promise<void>> {
  const actions: ControlActions = {
    reload: reloading,
    status: async () => ({ ok: true, message: 'running' }),
    halt: (argument) => halt(gateway, argument),
    resume: (argument) => resume(gateway, argument),
  };
  let listener: ControlListener | undefined;
  try {
    listener = await listenForControl(stateDir, actions);
  } catch (error) {
    logger.warn({ err: error, stateDir }, 'svcctl reload, halt and resume cannot reach this daemon; SIGHUP and /api/admin do');
  }
  return async () => listener?.close();
}

async function halt(gateway: Gateway, argument: ControlArgument): ReturnType<ControlActions['halt']> {
  const order = { keyId: keyOf(argument), cancelAll: argument.cancel_all === true, reason: textOf(argument.reason), by: OWN_USER };
  const halted = await gateway.halt(order);
  if (halted instanceof Rejection) return { ok: false, message: halted.message };
  const { halt, accounts, failure } = halted;
  const whose = halt.keyId === null ? 'for every caller' : `for key "${halt.keyId}"`;
  const cancels = order.cancelAll ? `; ${cancelled(accounts)}${failure === undefined ? '' : `; ${failure}`}` : '';
  const ok = failure === undefined && accounts.every(({ failure: refused }) => refused === undefined);
  return { ok, message: `trading is halted ${whose} since ${new Date(halt.since).toISOString()}${cancels}${unkept(gateway)}` };
}

async function resume(gateway: Gateway, argument: ControlArgument): ReturnType<ControlActions['resume']> {
  const keyId = keyOf(argument);
  const { resumed, halts } = await gateway.resume({ keyId, by: OWN_USER });
  const whose = keyId === undefined ? 'for every caller' : `for key "${keyId}"`;
  const left = halts.map((other) => (other.keyId === null ? 'every caller' : `key "${other.keyId}"`)).join(', ');
  const still = left === '' ? '' : `; still halted: ${left}`;
  return { ok: true, message: `trading ${resumed ? 'is resumed' : 'was not halted'} ${whose}${still}${unkept(gateway)}` };
}

function unkept(gateway: Gateway): string {
  return gateway.unkept === undefined ? '' : `; ${gateway.unkept}`;
}

/** "cancels accepted for 3 of 4 open orders (281756478396547001: 3 of 4, order 7: too late)". */
function cancelled(accounts: readonly AccountCancels[]): string {
  if (accounts.length === 0) return 'no order was open';
  const parts = accounts.map(
    ({ accId, orders, accepted, failure }) => `${accId}: ${accepted} of ${orders}${failure ? `, ${failure}` : ''}`,
  );
  return `${cancelsInWords(accounts)} (${parts.join('; ')})`;
}

function keyOf({ key }: ControlArgument): string | undefined {
  return typeof key === 'string' ? key : undefined;
}

function textOf(value: string | boolean | undefined): string {
  return typeof value === 'string' ? value : '';
}
