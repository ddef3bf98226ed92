import { create, type Message } from '@bufbuild/protobuf';
import type { Access, GateDenial, GateName, KeyRecord, OrderFacts } from '@svc-gateway/access';
import { type BrokerCode, refusalCode } from '@svc-gateway/contract/broker-codes';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { C2S as ReconfirmC2S } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection, type Told, type TradedSecurity } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import { type Traded, tradedMarketNames } from '../market-names.js';
import { type PositionRequest, positionNamed } from '../valuation/position-orders.js';
import { resolveSecurity } from '../valuation/securities.js';
import { isOfStanding } from '../valuation/valuation.js';
import { mayReadAccounts, maySee, securitiesOf, unidentified } from '../visibility.js';
import { orderNamed } from './reads.js';

/**
 * The first of an order's denials that its caller may be told, in a preview and by placing alike; undefined where all of them rest on what it
 * may not see. `denials`: in the order of the gates.
 */
export function firstTold(
  access: Access,
  operation: Operation,
  key: KeyRecord | undefined,
  facts: OrderFacts | undefined,
  denials: readonly GateDenial[],
): GateDenial | undefined {
  if (maySee(access, key, facts?.legs ?? [])) return denials[0];
  return denials.find((denial) => !restsOnAccount(operation, denial.gate, denial));
}

/**
 * Whether the word of a gate that is set depends on the existing order or position that a request is about, or on what the account holds or has
 * lost. `denial`: undefined where the gate lets the order pass.
 */
export function restsOnAccount(operation: Operation, gate: GateName, denial: GateDenial | undefined): boolean {
  if (isOfStanding(operation)) return gate !== 'hours' && gate !== 'rate';
  switch (gate) {
    case 'daily_loss':
      return true;
    case 'halt':
    case 'open_orders':
      // An order that only reduces a position passes.
      return denial !== undefined;
    case 'side':
      // The exits of a bracket meet it where the account holds the opposite position.
      return operation.valuer === 'bracket' && (denial === undefined || denial.ofLater === true);
    default:
      return false;
  }
}

/** Codes whose texts tell what an account holds. A text without a code may tell anything. */
const tellHoldings: ReadonlySet<string> = new Set<BrokerCode | 'backend.refused'>([
  'broker.buying_power',
  'broker.position',
  'broker.short_sale',
  'backend.refused',
]);

/** Codes whose texts tell of the request and of how its account may trade, and of no order or position. */
const tellRequest: ReadonlySet<string> = new Set<BrokerCode>([
  'broker.account',
  'broker.enumeration',
  'broker.packet',
  // Says no more than that the order that the request names is not there.
  'broker.unknown_order',
]);

/** A write, as its caller sent it. */
export interface SentWrite {
  readonly operation: Operation;
  readonly key: KeyRecord | undefined;
  readonly request: Message;
}

/**
 * Returns the subject of a brokerage's reason, as far as it goes beyond the request: the holdings for a new order, or the existing order or
 * position. That is looked up only for keys with lists of markets or symbols: {@link unidentified} stands for it for all others.
 */
export async function toldByBrokerage(
  backend: Backend,
  access: Access,
  { operation, key, request }: SentWrite,
  response: { readonly errCode: number },
  context: CallContext,
): Promise<Told | undefined> {
  const { code } = refusalCode(response);
  const find = standing(operation, request);
  if (find === undefined) return tellHoldings.has(code) ? namedBy(operation, request) : undefined;
  if (tellRequest.has(code)) return undefined;
  if (!mayReadAccounts(access, key) || maySee(access, key, unidentified)) return unidentified;
  try {
    const found = await find(backend, context);
    return found === undefined ? unidentified : securitiesOf(found, (request as { header?: TrdHeader }).header?.trdMarket ?? 0);
  } catch (thrown) {
    if (thrown instanceof BackendFailure) return unidentified;
    throw thrown;
  }
}

/** Securities of a new order; none for a write of another kind. */
function namedBy({ valuer }: Operation, request: Message): readonly TradedSecurity[] {
  const { header, code, secMarket, comboLegs } = request as Partial<PlaceC2S & Pick<ComboC2S, 'comboLegs'>>;
  const trading = header?.trdMarket ?? 0;
  if (valuer === 'combo' && comboLegs !== undefined)
    return securitiesOf({ trdMarket: trading, secMarket: 0, code: '', comboLegs }, trading);
  if ((valuer !== 'place' && valuer !== 'bracket') || code === undefined) return [];
  const named = { header, code, ...(secMarket ? { secMarket } : {}) };
  const security = resolveSecurity(named as Parameters<typeof resolveSecurity>[0]);
  if (security instanceof Rejection) return unidentified;
  return [{ markets: tradedMarketNames(trading, security.market), symbol: security.symbol }];
}

type Find = (backend: Backend, context: CallContext) => Promise<Traded | undefined>;

/** Finds the existing order or position that a write is about; undefined for writes about none. */
function standing({ valuer }: Operation, request: Message): Find | undefined {
  switch (valuer) {
    case 'modify': {
      const modify = request as ModifyC2S;
      return modify.forAll ? undefined : (backend, context) => orderNamed(backend, modify, context);
    }
    case 'reconfirm': {
      const { header, orderID } = request as ReconfirmC2S;
      const named = create(ModifyC2SSchema, { header, orderID });
      return (backend, context) => orderNamed(backend, named, context);
    }
    case 'position':
      return (backend, context) => positionNamed(backend, request as PositionRequest, context);
    case 'relief':
      return () => Promise.resolve(undefined);
    default:
      return undefined;
  }
}
