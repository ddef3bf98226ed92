import { create } from '@bufbuild/protobuf';
import { type ExchangeRates, isUnknown, type KeyRecord, type LimitUse, lossesOf, scopeMask } from '@svc-gateway/access';
import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { LimitUseSchema, type LimitUse as Message, S2CSchema } from '@svc-gateway/contract/generated/svc/whoami_pb';
import { inMoney } from '@svc-gateway/contract/money';
import { system } from '@svc-gateway/contract/operations';
import { scopes } from '@svc-gateway/contract/scope';
import type { CallContext } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import type { GatewayBase } from '../gateway-base.js';
import { limitsOf } from '../market-names.js';
import type { AccountContext } from '../orders/account-context.js';
import { success } from '../responses.js';
import { allAccounts, headerOf, tradesIn } from '../traded-accounts.js';
import { ratesTo } from '../valuation/valuation.js';
import { mayReadAccounts, maySee, TOTALS_UNTOLD } from '../visibility.js';
import { alone, type LocalOperation } from './index.js';

export interface WhoamiDeps extends GatewayBase {
  readonly accountContext: AccountContext;
}

/**
 * Answers `whoami`: the caller's key, its permissions, and the usage of each limit. It counts nothing and works while the backend
 * is away.
 */
export function whoami(deps: WhoamiDeps): LocalOperation {
  const { access, clock, switches } = deps;
  return alone(async ({ identity: { key }, context }) => {
    const rates = await ratesFor(deps, key, context);
    const losses = mayReadAccounts(access, key) ? await dayLosses(deps, key, rates, context) : noLosses;
    await freeOpenOrders(deps, key, context);
    const now = clock.now();
    const uses = access.gates.uses(key, rates, now);
    const seesTotals = maySee(access, key, 'all keys');
    const keyFields = key === undefined ? {} : fieldsOf(key);
    return success(
      system.whoami,
      create(S2CSchema, {
        serverTime: BigInt(now),
        hasKey: key !== undefined,
        ...keyFields,
        scopeList: scopes.filter((scope) => access.authorise(key, scopeMask([scope])) === undefined),
        limitList: uses.flatMap(({ holder, use }, i) => {
          if (use.name === 'max_daily_loss') return lossMessages(holder, use, losses[holder]);
          if (holder === 'key' || seesTotals || use.used === undefined) return [messageOf(holder, use, now)];
          // A day has a sum for each currency in which somebody has traded.
          return uses[i - 1]?.use.name === use.name && uses[i - 1]?.holder === holder ? [] : [withoutTotal(use)];
        }),
        switchList: [...switches].sort(),
      }),
    );
  });
}

/** None where no limit needs them, or where the backend that has them is away: the totals then say that they are not known. */
async function ratesFor({ access, backend }: WhoamiDeps, key: KeyRecord | undefined, context: CallContext) {
  const targets = access.gates.limitsCurrencies(key);
  const none = () => undefined;
  return targets.length === 0 ? none : ratesTo(backend, targets, context).catch(() => none);
}

function fieldsOf({ id, createdAt, expiresAt, allowedMachines }: KeyRecord) {
  return {
    keyId: id,
    machineBound: allowedMachines !== null,
    ...(createdAt === null ? {} : { createdAt: isoTime(createdAt) }),
    ...(expiresAt === null ? {} : { expiresAt: isoTime(expiresAt) }),
  };
}

/** A limit of the daemon for a caller that does not see what all keys have sent. */
function withoutTotal({ name, limit = '' }: LimitUse): Message {
  return create(LimitUseSchema, { holder: 'daemon', name, limit: textOf(limit), unknown: `a limit ${TOTALS_UNTOLD}` });
}

function messageOf(holder: 'key' | 'flags', use: LimitUse, now: number): Message {
  const { name, allowed, limit, used, currency, open, freesInMs } = use;
  return create(LimitUseSchema, {
    holder: holder === 'flags' ? 'daemon' : 'key',
    name,
    ...(allowed === undefined ? {} : { allowedList: [...allowed] }),
    ...(limit === undefined ? {} : { limit: textOf(limit) }),
    ...(currency === undefined ? {} : { currency }),
    ...(open === undefined ? {} : { open }),
    ...(freesInMs === undefined ? {} : { freeAt: isoTime(now + freesInMs) }),
    ...(typeof used === 'string' ? { unknown: used } : {}),
    ...(typeof used === 'number' && typeof limit === 'number' ? { used: String(used), left: String(Math.max(0, limit - used)) } : {}),
    ...(typeof used === 'bigint' && typeof limit === 'bigint' ? spent(used, limit, currency ?? '') : {}),
  });
}

function textOf(limit: Decimal | number | string): string {
  return typeof limit === 'bigint' ? formatDecimal(limit) : String(limit);
}

/** Today's losses of one account per holder of limits. */
interface AccountLoss {
  readonly accId: bigint;
  readonly losses: ReturnType<typeof lossesOf>;
}

type LossesByHolder = Readonly<Record<'key' | 'flags', readonly AccountLoss[]>>;

/** The losses of no account: the limits alone are shown. */
const noLosses: LossesByHolder = { key: [], flags: [] };

/** Today's losses of every account that the caller may trade in, where losses are limited. Empty while the backend is away. */
async function dayLosses(
  { access, backend, accountContext }: WhoamiDeps,
  key: KeyRecord | undefined,
  rates: ExchangeRates,
  context: CallContext,
): Promise<LossesByHolder> {
  const holders = { key: key?.limits, flags: access.gates.flagLimits };
  const found: Record<'key' | 'flags', AccountLoss[]> = { key: [], flags: [] };
  if (Object.values(holders).every((limits) => (limits?.maxDailyLoss ?? null) === null)) return found;
  try {
    const accounts = await allAccounts(backend, context);
    if (typeof accounts === 'string') return found;
    for (const account of accounts) {
      if (!tradesIn(access, key, account)) continue;
      const { accID: accId } = account;
      const profit = await accountContext.dayProfit(headerOf(account), context);
      if (key !== undefined) found.key.push({ accId, losses: lossesOf(profit, key.limits, rates) });
      found.flags.push({ accId, losses: lossesOf(profit, access.gates.flagLimits, rates) });
    }
  } catch (thrown) {
    if (!(thrown instanceof BackendFailure)) throw thrown;
  }
  return found;
}

/** Orders that have ended are not shown as open. */
async function freeOpenOrders({ access, accountContext }: WhoamiDeps, key: KeyRecord | undefined, context: CallContext): Promise<void> {
  const limited = limitsOf(access, key).some(({ maxOpenOrders }) => maxOpenOrders !== null);
  if (!limited) return;
  const everybody = access.gates.flagLimits.maxOpenOrders !== null;
  try {
    await accountContext.compareOpenOrders(access.gates.openOrderPlaces(everybody ? '' : (key?.id ?? '')), context);
  } catch (thrown) {
    if (!(thrown instanceof BackendFailure)) throw thrown;
  }
}

/** One message for each account and currency; without any account, the limit alone. */
function lossMessages(holder: 'key' | 'flags', { name, limit }: LimitUse, accounts: readonly AccountLoss[]) {
  const cap = typeof limit === 'bigint' ? limit : 0n;
  const base = { holder: holder === 'flags' ? 'daemon' : 'key', name, limit: formatDecimal(cap) };
  if (accounts.length === 0) return [create(LimitUseSchema, base)];
  return accounts.flatMap(({ accId, losses }) => {
    if (isUnknown(losses)) return [create(LimitUseSchema, { ...base, accId, unknown: losses.reason })];
    if (losses.length === 0) return [create(LimitUseSchema, { ...base, accId, used: '0', left: base.limit })];
    return losses.map(({ currency, loss }) => {
      return create(LimitUseSchema, { ...base, accId, currency, ...spent(loss, cap, currency) });
    });
  });
}

/** Money that is used of a limit, and that is left, in the decimals of the currency. */
function spent(used: Decimal, limit: Decimal, currency: string): { readonly used: string; readonly left: string } {
  const left = used < limit ? limit - used : 0n;
  return { used: formatDecimal(inMoney(used, currency, 'up')), left: formatDecimal(inMoney(left, currency, 'down')) };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
