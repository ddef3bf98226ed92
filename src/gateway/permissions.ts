import type { Message } from '@bufbuild/protobuf';
import {
  type Access,
  allowsAccount,
  allowsMarket,
  allowsSymbol,
  type KeyRecord,
  type Limits,
  type ScopeMask,
  scopeMask,
} from '../access/index.js';
import { trdEnv } from '../contract/enums.js';
import { TrdEnv, type TrdHeader } from '../contract/generated/Trd_Common_pb.js';
import { quoteMarketNumbered } from '../contract/markets.js';
import type { Operation } from '../contract/operation.js';
import { Rejection } from '../contract/rejection.js';
import { EVERY_TRD_MARKET, relievedMarkets } from './cancel-scope.js';
import { marketTokenOfHeader } from './order-facts.js';
import { EVERY_MARKET, type Subjects, subjectsOf } from './subjects.js';

/** Qot_Common.QotMarket of the shared forex display quotes. */
const FOREX_MARKET = 81;
const FOREX_SWITCH = '--enable-desktop-phase2-reads';

const simulate = scopeMask(['trade:simulate']);
const real = scopeMask(['trade:real']);
const anyTrade = scopeMask(['trade:simulate', 'trade:real']);
const masks = new Map<Operation, ScopeMask>();

/** What scopes and allowlists say of a request; the risk limits are the gates' business. */
export class Permissions {
  constructor(
    readonly access: Access,
    /** Start-up switches that are on. */
    readonly switches: ReadonlySet<string>,
  ) {}

  /** Before the body is read: does the caller hold a scope that could do? */
  scope(operation: Operation, key: KeyRecord | undefined): Rejection | undefined {
    let mask = masks.get(operation);
    if (mask === undefined) {
      const rule = operation.scope;
      mask = rule.kind === 'byEnv' ? anyTrade : scopeMask(rule.anyOf);
      masks.set(operation, mask);
    }
    return this.#hold(key, mask);
  }

  /** Once the request is known: its environment, accounts, markets and symbols. */
  check(operation: Operation, key: KeyRecord | undefined, request: Message): Rejection | undefined {
    const header = (request as Message & { header?: TrdHeader }).header;
    if (operation.scope.kind === 'byEnv') {
      const env = header?.trdEnv;
      if (env !== TrdEnv.TrdEnv_Simulate && env !== TrdEnv.TrdEnv_Real) {
        const accepted = trdEnv.members.map((member) => member.name).join(', ');
        return new Rejection('request.invalid', `trd_env: ${env} is no trading environment, accepted: ${accepted}`);
      }
      const denied = this.#hold(key, env === TrdEnv.TrdEnv_Real ? real : simulate);
      if (denied !== undefined) return denied;
    }
    const subjects = subjectsOf(operation, request);
    if (!this.switches.has(FOREX_SWITCH) && subjects.securities.some(({ market }) => market === FOREX_MARKET)) {
      return new Rejection('feature_disabled', `forex quotes are switched off; start the daemon with ${FOREX_SWITCH}`);
    }
    const own = key === undefined ? undefined : checkLimits(operation, key.limits, subjects, request);
    return own ?? checkLimits(operation, this.access.flagLimits, subjects, request);
  }

  #hold(key: KeyRecord | undefined, mask: ScopeMask): Rejection | undefined {
    const denied = this.access.authorise(key, mask);
    return denied === undefined ? undefined : new Rejection(denied.code, denied.message);
  }
}

function isLimited(limits: Limits): boolean {
  return limits.allowedMarkets !== null || limits.allowedSymbols !== null || limits.allowedAccIds !== null;
}

function checkLimits(operation: Operation, limits: Limits, subjects: Subjects, request: Message): Rejection | undefined {
  if (!isLimited(limits)) return undefined;
  const account = subjects.accIds.find((accId) => !allowsAccount(limits, accId));
  if (account !== undefined) return new Rejection('auth.account', `account ${account} is not among the accounts that this key may use`);
  for (const security of subjects.securities) {
    const market = quoteMarketNumbered(security.market)?.name ?? String(security.market);
    if (!allowsMarket(limits, [market])) return denyMarket(limits, market);
    const symbol = `${market}.${security.code}`;
    if (!allowsSymbol(limits, symbol))
      return new Rejection('limit.symbol', `symbol ${symbol} is not allowed; allowed: ${list(limits.allowedSymbols)}`);
  }
  const named = subjects.securities.length > 0;
  for (const number of subjects.markets) {
    if (number === EVERY_MARKET && named) continue;
    const market = number === EVERY_MARKET ? 'every market' : (quoteMarketNumbered(number)?.name ?? String(number));
    if (!allowsMarket(limits, [market])) return denyMarket(limits, market);
    if (limits.allowedSymbols !== null && !named) {
      return new Rejection('limit.symbol', `the whole market ${market} is not allowed; allowed: ${list(limits.allowedSymbols)}`);
    }
  }
  // Days are no list of symbols: the market alone decides, and not even that where a security was named.
  const calendar = named ? undefined : subjects.calendars.find((markets) => !allowsMarket(limits, markets));
  if (calendar !== undefined) return denyMarket(limits, calendar.join(' or ') || 'unknown');
  if (limits.allowedMarkets === null) return undefined;
  // Orders meet the market gate with their own market; what only takes risk away is checked by the markets that it names.
  for (const number of relievedMarkets(operation, request)) {
    const market = number === EVERY_TRD_MARKET ? 'every market' : marketTokenOfHeader(number);
    if (!allowsMarket(limits, [market])) return denyMarket(limits, market);
  }
  return undefined;
}

function denyMarket(limits: Limits, market: string): Rejection {
  return new Rejection('limit.market', `market ${market} is not allowed; allowed: ${list(limits.allowedMarkets)}`);
}

const LISTED_MAX = 20;

function list(names: ReadonlySet<string> | null): string {
  const all = [...(names ?? [])];
  return all.length === 0 ? 'none' : all.slice(0, LISTED_MAX).join(', ') + (all.length > LISTED_MAX ? ', …' : '');
}
