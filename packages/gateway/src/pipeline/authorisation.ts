import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller, Identity } from '../identity.js';
import type { Permissions } from '../permissions.js';

/** The stage before the body is read: whether a caller may ask for an operation at all, whatever its request says. */
export class Authorisation {
  /**
   * @param switches start-up switches that are on: "--enable-trading".
   * @param tradingHalt reason why trading is halted after an inconsistent restore.
   */
  constructor(
    private readonly permissions: Permissions,
    private readonly switches: ReadonlySet<string>,
    private readonly tradingHalt: string | undefined,
  ) {}

  authorise(operation: Operation, caller: Caller, { key }: Identity): Rejection | undefined {
    const denied = this.permissions.scope(operation, key);
    if (denied !== undefined) return denied;
    if (operation.switches.some((name) => !this.switches.has(name))) {
      const missing = operation.switches.filter((name) => !this.switches.has(name));
      return new Rejection('feature_disabled', `${operation.name} is switched off; start the daemon with ${missing.join(' ')}`);
    }
    if (operation.group === 'trade' && this.tradingHalt !== undefined) {
      return new Rejection('feature_disabled', `trading is off: ${this.tradingHalt}`);
    }
    if (operation.loopbackOnly && !caller.peer.loopback) {
      const message = `${operation.name} is accepted from this machine only; remote callers go through an HTTPS reverse proxy on the same host`;
      return new Rejection('rest.unlock_trade.local_transport_required', message);
    }
    return undefined;
  }
}
