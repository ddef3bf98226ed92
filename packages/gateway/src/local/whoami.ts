import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Access, type ExchangeRates, isUnknown, type KeyRecord, type LimitUse, lossesOf, scopeMask } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { LimitUseSchema, type LimitUse as Message, S2CSchema } from '@svc-gateway/contract/generated/svc/whoami_pb';
import { inMoney } from '@svc-gateway/contract/money';
import { system } from '@svc-gateway/contract/operations';
import { scopes } from '@svc-gateway/contract/scope';
import { type Backend, BackendFailure, type CallContext } from '../backend.js';
import { limitsOf } from '../market-names.js';
import type { AccountContext } from '../orders/account-context.js';
import { ratesTo } from '../orders/valuation.js';
import { success } from '../responses.js';
import { mayReadAccounts, maySee, TOTALS_UNTOLD } from '../sight.js';
import { allAccounts, headerOf, tradesIn } from '../traded-accounts.js';
import { alone, type LocalOperation } from './index.js';

export interface WhoamiDeps {
  readonly access: Access;
  readonly backend: Backend;
  readonly accountContext: AccountContext;
  readonly clock: Clock;
  readonly switches: ReadonlySet<string>;
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
    const uses = access.uses(key, rates, now);
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
          if (holder === 'key' || seesTotals || !isTotal(use)) return [messageOf(holder, use, now)];
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
  const targets = access.limitsCurrencies(key);
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

type Total = Extract<LimitUse, { kind: 'open' | 'rate' | 'day' }>;

function isTotal(use: LimitUse): use is Total {
  return use.kind === 'open' || use.kind === 'rate' || use.kind === 'day';
}

/** A limit of the daemon for a caller that does not see what all keys have sent. */
function withoutTotal({ name, limit }: Total): Message {
  const text = typeof limit === 'bigint' ? formatDecimal(limit) : String(limit);
  return create(LimitUseSchema, { holder: 'daemon', name, limit: text, unknown: `a limit ${TOTALS_UNTOLD}` });
}

function messageOf(holder: 'key' | 'flags', use: LimitUse, now: number): Message {
  return create(LimitUseSchema, { holder: holder === 'flags' ? 'daemon' : 'key', name: use.name, ...figuresOf(use, now) });
}

function figuresOf(use: LimitUse, now: number): Omit<Extract<MessageInitShape<typeof LimitUseSchema>, { $typeName?: never }>, '$typeName'> {
  const freeAt = (inMs: number | undefined) => (inMs === undefined ? {} : { freeAt: isoTime(now + inMs) });
  switch (use.kind) {
    case 'list':
      return { allowedList: [...use.allowed] };
    case 'text':
      return { limit: use.limit };
    case 'hours':
      return { limit: use.limit, open: use.open, ...freeAt(use.opensInMs) };
    case 'cap':
      return { limit: formatDecimal(use.limit) };
    case 'open':
      return { limit: String(use.limit), used: String(use.used), left: String(Math.max(0, use.limit - use.used)) };
    case 'rate':
      return {
        limit: String(use.limit),
        used: String(use.used),
        left: String(Math.max(0, use.limit - use.used)),
        ...freeAt(use.freesInMs),
      };
    case 'day': {
      const { limit, currency, used, freesInMs } = use;
      const fields = { limit: formatDecimal(limit), ...(currency === undefined ? {} : { currency }), ...freeAt(freesInMs) };
      if (typeof used === 'string') return { ...fields, unknown: used };
      return { ...fields, ...spent(used, limit, currency ?? '') };
    }
  }
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
  const holders = { key: key?.limits, flags: access.flagLimits };
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
      found.flags.push({ accId, losses: lossesOf(profit, access.flagLimits, rates) });
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
  const everybody = access.flagLimits.maxOpenOrders !== null;
  try {
    await accountContext.compareOpenOrders(access.gates.openOrderPlaces(everybody ? '' : (key?.id ?? '')), context);
  } catch (thrown) {
    if (!(thrown instanceof BackendFailure)) throw thrown;
  }
}

/** One message for each account and currency; without any account, the limit alone. */
function lossMessages(holder: 'key' | 'flags', { name, limit }: Extract<LimitUse, { kind: 'cap' }>, accounts: readonly AccountLoss[]) {
  const base = { holder: holder === 'flags' ? 'daemon' : 'key', name, limit: formatDecimal(limit) };
  if (accounts.length === 0) return [create(LimitUseSchema, base)];
  return accounts.flatMap(({ accId, losses }) => {
    if (isUnknown(losses)) return [create(LimitUseSchema, { ...base, accId, unknown: losses.reason })];
    if (losses.length === 0) return [create(LimitUseSchema, { ...base, accId, used: '0', left: base.limit })];
    return losses.map(({ currency, loss }) => {
      return create(LimitUseSchema, { ...base, accId, currency, ...spent(loss, limit, currency) });
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
