import { clone, create } from '@bufbuild/protobuf';
import { type Access, allowsAccount, type KeyRecord, type Limits } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { trdSide } from '@svc-gateway/contract/enums';
import { type C2S, type Refusal, RefusalSchema, S2CSchema } from '@svc-gateway/contract/generated/svc/get_refusals_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import type { StandingTerms } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import { told } from './broker-texts.js';
import { type Caller, ownerOfKey } from './identity.js';
import { alone, type LocalOperation } from './local/index.js';
import { allowsTraded, limitsOf, type Traded } from './market-names.js';
import { legsText } from './orders/order.js';
import { success } from './responses.js';
import { maySee, type Reason, shownText } from './visibility.js';

/** A write that was refused. */
export interface RefusedWrite extends Reason {
  readonly operation: Operation;
  /** The key that it came with, as it was then. */
  readonly key: KeyRecord | undefined;
  /** undefined where the body was not or could not be read. */
  readonly request: object | undefined;
  readonly requestId: string;
  /** The existing order or position that it is about; undefined where it is about none, or that is not known. */
  readonly standing: StandingTerms | undefined;
}

/** Refused orders that are kept of one key, for how long, and of how many keys. */
const OF_KEY_MAX = 200;
const KEPT_MS = 24 * 3_600_000;
const KEYS_MAX = 1_000;
const LISTED_BY_DEFAULT = 20;
/** Longest text that is kept of a reason. */
const REASON_CHARACTERS_MAX = 1_000;

interface StoredRefusal {
  readonly operation: Operation;
  /** With the reason as the key was told it. */
  readonly refusal: Refusal;
  readonly about: Reason['about'];
  /** The order or position that it is about, where the key could see it. */
  readonly standing: StandingTerms | undefined;
  readonly traded: Traded;
  /** Lists of the key that held the order at the time. One that refused it hides nothing later: only the key itself named what it forbids. */
  readonly allowed: Readonly<Record<ListKind, boolean>>;
}

interface OfKey {
  /** Hash of the key's text; undefined for callers without a key. */
  readonly hash: string | undefined;
  /** Oldest first. */
  readonly kept: StoredRefusal[];
}

type ListKind = 'account' | 'traded';

/** Fields of all requests for orders. */
type Asked = Partial<
  Omit<PlaceC2S, '$typeName'> & Pick<ComboC2S, 'comboLegs'> & { orderID: bigint; orderIDEx: string; targetCode: string }
>;

/** Refused orders of each key, in memory: "why was it refused?" has an answer later. */
export class RefusedOrders {
  /** By owner, those with the newest refusal last. */
  readonly #byOwner = new Map<string, OfKey>();
  readonly #startedAt: number;

  constructor(
    private readonly access: Access,
    private readonly clock: Clock,
  ) {
    this.#startedAt = clock.now();
  }

  add(refused: RefusedWrite): void {
    const { key } = refused;
    const owner = ownerOfKey(key);
    const kept = this.#keptFor(owner, key);
    this.#byOwner.delete(owner);
    kept.push(this.#keptOf(refused));
    if (kept.length > OF_KEY_MAX) kept.shift();
    this.#byOwner.set(owner, { hash: key?.hash, kept });
    const [oldest] = this.#byOwner.keys();
    if (this.#byOwner.size > KEYS_MAX && oldest !== undefined) this.#byOwner.delete(oldest);
  }

  /** The operation that lists the caller's own, as far as its key's lists allow them now. */
  readonly operation: LocalOperation = alone(({ request, identity: { owner, key }, caller }) => {
    const { num } = request as C2S;
    const shown = this.#of(owner, key, caller).slice(0, num || LISTED_BY_DEFAULT);
    return success(trade.getRefusals, create(S2CSchema, { refusalList: shown, since: BigInt(this.#since) }));
  });

  /** Since when refusals are listed, epoch ms; not after now, where the clock was set back. */
  get #since(): number {
    const now = this.clock.now();
    return Math.max(Math.min(this.#startedAt, now), now - KEPT_MS);
  }

  #of(owner: string, key: KeyRecord | undefined, caller: Caller): Refusal[] {
    const limits = limitsOf(this.access, key);
    const from = BigInt(this.clock.now() - KEPT_MS);
    return this.#keptFor(owner, key)
      .filter((kept) => kept.refusal.time >= from && !isNarrowedAway(limits, kept))
      .map(({ operation, refusal: asked, about, standing }) => {
        const refusal = withStanding(asked, this.#seen(key, standing));
        const shownReason = shownText(this.access, key, { code: refusal.refusalCode, message: refusal.reason, about });
        const reason = told(operation, caller, shownReason);
        return reason === refusal.reason ? refusal : Object.assign(clone(RefusalSchema, refusal), { reason });
      })
      .reverse();
  }

  /** Refusals of a key; none where another key had its id before. */
  #keptFor(owner: string, key: KeyRecord | undefined): StoredRefusal[] {
    const own = this.#byOwner.get(owner);
    return own !== undefined && own.hash === key?.hash ? own.kept : [];
  }

  /** Terms of an order or position, where a key may see it. */
  #seen(key: KeyRecord | undefined, standing: StandingTerms | undefined): StandingTerms | undefined {
    return standing !== undefined && maySee(this.access, key, standing.securities) ? standing : undefined;
  }

  #keptOf(refused: RefusedWrite): StoredRefusal {
    const { key, about } = refused;
    const { refusal, traded } = refusalOf(refused, shownText(this.access, key, refused), this.clock.now());
    const standing = this.#seen(key, refused.standing);
    return {
      operation: refused.operation,
      refusal,
      about,
      standing,
      traded,
      allowed: allowedBy(limitsOf(this.access, key), refusal, traded),
    };
  }
}

/** A refusal with the terms of the order or position that it is about, where the request does not say them. */
function withStanding(refusal: Refusal, standing: StandingTerms | undefined): Refusal {
  if (standing === undefined) return refusal;
  const side = trdSide.members.find(({ name }) => name === standing.side)?.public;
  const has = (field: 'symbol' | 'trdSide' | 'orderId') => Object.hasOwn(refusal, field);
  return Object.assign(clone(RefusalSchema, refusal), {
    ...(has('symbol') ? {} : { symbol: shown(standing.symbol) }),
    ...(has('trdSide') || side === undefined ? {} : { trdSide: side }),
    ...(has('orderId') || standing.orderId === undefined ? {} : { orderId: shown(standing.orderId) }),
  });
}

/** Whether a list forbids by now what it allowed when the order came. */
function isNarrowedAway(limits: readonly Limits[], kept: StoredRefusal): boolean {
  const { allowed } = kept;
  const now = allowedBy(limits, kept.refusal, kept.traded);
  return (allowed.account && !now.account) || (allowed.traded && !now.traded);
}

function allowedBy(limits: readonly Limits[], refusal: Refusal, traded: Traded): StoredRefusal['allowed'] {
  const hasAccount = Object.hasOwn(refusal, 'accID');
  return {
    account: !hasAccount || limits.every((each) => allowsAccount(each, refusal.accID)),
    // A change names an order and no security: its reason is judged by what it describes.
    traded: traded.code === '' || limits.every((each) => allowsTraded(each, traded, 0)),
  };
}

function refusalOf(
  { operation, request, code, requestId }: RefusedWrite,
  reason: string,
  now: number,
): Pick<StoredRefusal, 'refusal' | 'traded'> {
  const asked: Asked = request ?? {};
  const { header, secMarket = 0, comboLegs = [] } = asked;
  const market = quoteMarketOfSecMarket(secMarket);
  const symbol =
    comboLegs.length > 0 ? legsText(comboLegs) : market !== undefined && asked.code ? `${market.name}.${asked.code}` : asked.code;
  const orderId = asked.orderIDEx || (asked.orderID ? String(asked.orderID) : '');
  const given = <F extends 'qty' | 'price' | 'trdSide' | 'orderType'>(field: F) =>
    Object.hasOwn(asked, field) ? { [field]: asked[field] } : {};
  return {
    refusal: create(RefusalSchema, {
      time: BigInt(now),
      operation: operation.name,
      refusalCode: code,
      reason: shown(reason, REASON_CHARACTERS_MAX),
      requestId: shown(requestId),
      ...(header === undefined ? {} : { accID: header.accID, trdEnv: header.trdEnv, trdMarket: header.trdMarket }),
      ...(symbol ? { symbol: shown(symbol) } : {}),
      ...(orderId === '' ? {} : { orderId: shown(orderId) }),
      ...given('trdSide'),
      ...given('orderType'),
      ...given('qty'),
      ...given('price'),
    }),
    traded: { trdMarket: header?.trdMarket ?? 0, secMarket, code: asked.code ?? comboLegs[0]?.security?.code ?? '', comboLegs },
  };
}
