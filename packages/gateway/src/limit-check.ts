import type { Message } from '@bufbuild/protobuf';
import { allowsAccount, allowsCode, allowsMarket, allowsOneMarket, allowsSymbol, type Limits } from '@svc-gateway/access';
import { classOf, fieldsWithin } from '@svc-gateway/contract/field-classes';
import type { C2S as RollC2S } from '@svc-gateway/contract/generated/svc/roll_position_pb';
import type { C2S as MaxTrdQtysC2S } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { quoteMarketNumbered, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { memoized } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { possibleScopes, type Scope, type ScopeRule } from '@svc-gateway/contract/scope';
import { listed, shown } from '@svc-gateway/contract/shown';
import { tradedMarketNames } from './market-names.js';
import type { NamedMarket } from './named-markets.js';
import { marketsOfCancelAll } from './orders/cancel-scope.js';
import type { NamedSecurity, RequestResources } from './request-resources.js';
import { resolveSecurity } from './valuation/securities.js';

/** Whether a caller is limited by lists at all, of accounts, markets or symbols. */
export function isLimited(limits: Limits): boolean {
  return limitsTraded(limits) || limits.allowedAccIds !== null;
}

/** Whether a caller is limited in markets or symbols. */
export function limitsTraded(limits: Limits): boolean {
  return limits.allowedMarkets !== null || limits.allowedSymbols !== null;
}

/** Holds what a request names, and how far its answer reaches, against lists of accounts, markets and symbols. */
export function checkLimits(operation: Operation, limits: Limits, resources: RequestResources, request: Message): Rejection | undefined {
  return (
    checkAccounts(operation, limits, resources, request) ??
    (limitsTraded(limits) ? checkTraded(operation, limits, resources, request) : undefined)
  );
}

function checkAccounts(operation: Operation, limits: Limits, { accIds }: RequestResources, request: Message): Rejection | undefined {
  if (limits.allowedAccIds === null) return undefined;
  const account = accIds.find((accId) => !allowsAccount(limits, accId));
  if (account !== undefined) return new Rejection('auth.account', `this key may not use account ${account}`);
  const { reach } = operation;
  if (accIds.length > 0 || reach === 'general' || !isOfAccounts(operation, request)) return undefined;
  if (reach === 'beyond' || reach === 'request') {
    return new Rejection('auth.account', `${operation.name} names no account, and this key is limited to certain accounts`);
  }
  return undefined;
}

/** The scope that a request asks for by the number in its field; undefined where that is none of those there are. */
export function scopeAsked({ field, scopes }: Extract<ScopeRule, { kind: 'byField' }>, request: Message): Scope | undefined {
  return scopes[(request as unknown as Record<string, number>)[field] ?? 0];
}

/** Whether a request is about accounts: it could name one, or its scope is that of accounts. */
function isOfAccounts(operation: Operation, request: Message): boolean {
  if (operation.scope.kind === 'byField') return scopeAsked(operation.scope, request) === 'acc:read';
  return concernsAccounts(operation);
}

const concernsAccounts = memoized(
  ({ scope, messages, classes }: Operation) =>
    scope.kind === 'byEnv' ||
    possibleScopes(scope).includes('acc:read') ||
    [...fieldsWithin(messages.C2SSchema)].some((field) => classOf(field, classes) === 'account'),
);

function checkTraded(operation: Operation, limits: Limits, resources: RequestResources, request: Message): Rejection | undefined {
  const { securities, plates, stockIds, tradedCodes, orders, markets } = resources;
  for (const security of securities) {
    const denied = checkSecurity(limits, security);
    if (denied !== undefined) return denied;
  }
  for (const plate of plates) {
    // A plate itself is no security that a list of symbols could name. Its members are: an answer about them is filtered, or refused.
    const market = marketOf(plate);
    if (!allowsOneMarket(limits, market)) return denyMarket(limits, market);
    if (limits.allowedSymbols !== null && !isFiltered(operation.reach))
      return denySymbol(limits, `the whole plate ${market}.${plate.code}`);
  }
  if (stockIds.length > 0) return new Rejection('limit.symbol', `stock id ${stockIds[0]} cannot be matched to a security; give its symbol`);
  const all = marketsOfCancelAll(operation, request);
  if (all !== undefined) return firstDenied(limits, all);
  if (tradedCodes.length > 0 && operation.effect === 'read') {
    const denied = checkTradedCode(limits, request as MaxTrdQtysC2S);
    if (denied !== undefined) return denied;
  }
  if (tradedCodes.length > 0 && operation.valuer === 'position') {
    const denied = checkTarget(limits, request as RollC2S);
    if (denied !== undefined) return denied;
  }
  const named = securities.length > 0 || plates.length > 0;
  for (const market of markets) {
    const denied =
      market.of === 'account' ? checkTrading(operation, limits, resources, market) : checkMarket(operation, limits, market, named);
    if (denied !== undefined) return denied;
  }
  return checkReach(operation, limits, named || tradedCodes.length > 0 || orders.length > 0 || markets.length > 0);
}

/** An answer that goes beyond the request, or a request that could bound it and does not. */
function checkReach({ name, reach }: Operation, limits: Limits, named: boolean): Rejection | undefined {
  if (reach !== 'beyond' && (reach !== 'request' || named)) return undefined;
  const code = limits.allowedMarkets === null ? 'limit.symbol' : 'limit.market';
  const allowed = list(limits.allowedMarkets ?? limits.allowedSymbols);
  return new Rejection(
    code,
    `${name} would reveal markets or symbols that the request does not name, and this key is limited; allowed: ${allowed}`,
  );
}

function checkSecurity(limits: Limits, security: NamedSecurity): Rejection | undefined {
  const market = marketOf(security);
  if (!allowsOneMarket(limits, market)) return denyMarket(limits, market);
  return allowsCode(limits, market, security.code) ? undefined : denySymbol(limits, `${market}.${security.code}`);
}

function checkSymbol(limits: Limits, symbol: string): Rejection | undefined {
  return allowsSymbol(limits, symbol) ? undefined : denySymbol(limits, symbol);
}

/** Checks the security of a quantity request under the same names as an order of it. */
function checkTradedCode(limits: Limits, request: MaxTrdQtysC2S): Rejection | undefined {
  const security = resolveSecurity(request);
  if (security instanceof Rejection) return security;
  const names = tradedMarketNames(request.header?.trdMarket ?? 0, security.market);
  if (!allowsMarket(limits, names)) return denyMarket(limits, names.join('/'));
  return checkSymbol(limits, security.symbol);
}

/** A quote market or a calendar. Where a security is named, it says what is meant. */
function checkMarket({ reach }: Operation, limits: Limits, market: NamedMarket, named: boolean): Rejection | undefined {
  if (named && (market.every || market.of === 'days')) return undefined;
  if (!allowsMarket(limits, market.parts)) return denyMarket(limits, market.label);
  // Days are no list of symbols, and a list that is filtered shows no others.
  if (limits.allowedSymbols === null || named || market.of === 'days' || isFiltered(reach)) return undefined;
  return new Rejection('limit.symbol', `the whole market ${market.label} is not allowed; allowed: ${list(limits.allowedSymbols)}`);
}

/** The contract that a position is to be moved to. */
function checkTarget(limits: Limits, { initial }: RollC2S): Rejection | undefined {
  const symbol = `${quoteMarketOfSecMarket(initial?.targetSecMarket ?? 0)?.name ?? ''}.${initial?.targetCode ?? ''}`;
  return allowsSymbol(limits, symbol) ? undefined : denySymbol(limits, symbol);
}

/** The market of a trading header. */
function checkTrading(
  { effect, reach, valuer }: Operation,
  limits: Limits,
  { securities, tradedCodes, orders }: RequestResources,
  market: NamedMarket,
): Rejection | undefined {
  // The position's security is not known yet, but its market is.
  if (valuer === 'position') return allowsMarket(limits, market.parts) ? undefined : denyMarket(limits, market.label);
  // An order meets its gates with its own market; a code and an order that is named have theirs.
  if (effect === 'order' || tradedCodes.length > 0 || orders.length > 0) return undefined;
  // Where none is named, a list of what is traded still shows what the key may see, and a security says its market.
  if (market.every && (securities.length > 0 || listsTraded(reach))) return undefined;
  return allowsMarket(limits, effect === 'read' ? market.parts : market.whole) ? undefined : denyMarket(limits, market.label);
}

/** Whether the markets are allowed as a whole: those of a write that ends what is in them. */
export function firstDenied(limits: Limits, markets: readonly NamedMarket[]): Rejection | undefined {
  const denied = markets.find(({ whole }) => !allowsMarket(limits, whole));
  return denied === undefined ? undefined : denyMarket(limits, denied.label);
}

function isFiltered(reach: Operation['reach']): boolean {
  return typeof reach !== 'string';
}

function listsTraded(reach: Operation['reach']): boolean {
  return typeof reach !== 'string' && reach.every(({ of }) => of === 'traded');
}

function marketOf({ market }: NamedSecurity): string {
  return quoteMarketNumbered(market)?.name ?? String(market);
}

export function denyMarket(limits: Limits, market: string): Rejection {
  return new Rejection('limit.market', `market ${shown(market)} is not allowed; allowed: ${list(limits.allowedMarkets)}`);
}

export function denySymbol(limits: Limits, symbol: string): Rejection {
  return new Rejection('limit.symbol', `symbol ${shown(symbol)} is not allowed; allowed: ${list(limits.allowedSymbols)}`);
}

function list(names: ReadonlySet<string> | null): string {
  return listed(names ?? []) || 'none';
}
