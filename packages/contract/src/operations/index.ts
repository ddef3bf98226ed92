import { catalogue } from '../declaration-check.js';
import type { Operation } from '../operation.js';
import * as accounts from './account.js';
import * as admin from './admin.js';
import * as bracket from './bracket.js';
import * as calendar from './calendar.js';
import * as cash from './cash.js';
import * as derivatives from './derivatives.js';
import * as extension from './extension.js';
import * as forexAccount from './forex-account.js';
import * as industry from './industry.js';
import * as institution from './institution.js';
import * as klinePattern from './kline-pattern.js';
import * as margin from './margin.js';
import * as metadata from './metadata.js';
import * as news from './news.js';
import * as quote from './quote.js';
import * as ranking from './ranking.js';
import * as research from './research.js';
import * as returns from './returns.js';
import * as subscription from './subscription.js';
import * as system from './system.js';
import * as trades from './trade.js';
import * as userState from './user-state.js';

/** One group in several files. */
const moneyReads = Object.assign({}, cash, margin, returns);
const trade = Object.assign({}, trades, bracket);
const account = Object.assign({}, accounts, moneyReads);

/** The declarations by their groups, in the order of references. Adding one to its group's file serves it everywhere. */
export const declared = {
  system,
  subscription,
  quote,
  kline_pattern: klinePattern,
  metadata,
  derivatives,
  calendar,
  ranking,
  research,
  institution,
  industry,
  extension,
  news,
  user_state: userState,
  account,
  forex_account: forexAccount,
  trade,
  admin,
} as const;

/** Every declared operation, in that order. */
export const operations: readonly Operation[] = catalogue(declared);

const byName = new Map(operations.map((operation) => [operation.name, operation]));

/** The operation of this name ("get_quote"), if it is declared. */
export function operationNamed(name: string): Operation | undefined {
  return byName.get(name);
}

export {
  account,
  admin,
  calendar,
  derivatives,
  extension,
  forexAccount,
  industry,
  institution,
  klinePattern,
  metadata,
  news,
  quote,
  ranking,
  research,
  subscription,
  system,
  trade,
  userState,
};
