import { catalogue } from '../declaration-check.js';
import type { Operation } from '../operation.js';
import * as account from './account.js';
import * as admin from './admin.js';
import * as metadata from './metadata.js';
import * as quote from './quote.js';
import * as subscription from './subscription.js';
import * as system from './system.js';
import * as trade from './trade.js';

/** Every declared operation, in the order of references. Adding one here serves it everywhere. */
export const operations: readonly Operation[] = catalogue({ system, subscription, quote, metadata, account, trade, admin });

const byName = new Map(operations.map((operation) => [operation.name, operation]));

/** The operation of this name ("get_quote"), if it is declared. */
export function operationNamed(name: string): Operation | undefined {
  return byName.get(name);
}

export { account, admin, metadata, quote, subscription, system, trade };
