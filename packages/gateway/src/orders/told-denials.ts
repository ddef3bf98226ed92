import type { Access, GateDenial, GateName, KeyRecord, OrderFacts } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { maySee } from '../sight.js';
import { isOfStanding } from './valuation.js';

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
