import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Access, type KeyRecord, type LimitUse, scopeMask } from '../../access/index.js';
import type { Clock } from '../../contract/clock.js';
import { formatDecimal } from '../../contract/decimal.js';
import { LimitUseSchema, type LimitUse as Message, S2CSchema } from '../../contract/generated/svc/whoami_pb.js';
import { system } from '../../contract/operations/index.js';
import { scopes } from '../../contract/scope.js';
import type { Backend, CallContext } from '../backend.js';
import { ratesTo } from '../orders/valuation.js';
import { success } from '../responses.js';
import { alone, type LocalOperation } from './index.js';

export interface WhoamiParts {
  readonly access: Access;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly switches: ReadonlySet<string>;
}

/** Who the caller is: its key, what it may do, and what is used of each limit. It counts nothing and is answered while the backend is away. */
export function whoami(parts: WhoamiParts): LocalOperation {
  const { access, clock, switches } = parts;
  return alone(async ({ identity: { key }, context }) => {
    const rates = await ratesFor(parts, key, context);
    const now = clock.now();
    const uses = access.uses(key, rates, now);
    const keyFields = key === undefined ? {} : fieldsOf(key);
    return success(
      system.whoami,
      create(S2CSchema, {
        serverTime: BigInt(now),
        hasKey: key !== undefined,
        ...keyFields,
        scopeList: scopes.filter((scope) => access.authorise(key, scopeMask([scope])) === undefined),
        limitList: uses.map(({ holder, use }) => messageOf(holder, use, now)),
        switchList: [...switches].sort(),
      }),
    );
  });
}

/** None where no limit needs them, or where the backend that has them is away: the totals then say that they are not known. */
async function ratesFor({ access, backend }: WhoamiParts, key: KeyRecord | undefined, context: CallContext) {
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
      return { ...fields, used: formatDecimal(used), left: formatDecimal(used < limit ? limit - used : 0n) };
    }
  }
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
