import type { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, ResponseMessage } from '../backend.js';
import { addressByAccount } from '../orders/account-env.js';
import type { OrderPermits } from '../orders/order-permits.js';
import type { Permissions } from '../permissions.js';
import type { Ongoing } from './requests.js';

/** The stage of permits that need a lookup: the environment of the account, the markets of the orders that a request names. */
export class OrderLookups {
  constructor(
    private readonly backend: Backend,
    private readonly permissions: Permissions,
    private readonly orderPermits: OrderPermits,
  ) {}

  /** The denial, or the backend's refusal of the lookup; undefined at once where nothing is to be looked up. */
  check({ operation, identity: { key }, request, call }: Ongoing): undefined | Promise<Rejection | ResponseMessage | undefined> {
    const { orderPermits } = this;
    if (!operation.envOfAccount) return orderPermits.check(operation, key, request, call);
    return addressByAccount(this.backend, operation, request, call).then(
      (refused) => refused ?? this.permissions.environment(operation, key, request) ?? orderPermits.check(operation, key, request, call),
    );
  }
}
