import { isTrading } from '@svc-gateway/contract/operation';
import { system } from '@svc-gateway/contract/operations';
import { Refused, type Rule } from '../rule.js';

/** The platform answers what is not about accounts. */
export const platformOnly: Rule = {
  name: 'platform only',
  judge({ protoId, operation }) {
    if (operation === undefined || !isTrading(operation)) return undefined;
    return new Refused(`protocol id ${protoId} (${operation.name}) is served by the brokers; this is the platform`);
  },
};

/** A broker answers what is about its accounts, and how the server is. */
export function brokerOnly(name: string): Rule {
  return {
    name: 'broker only',
    judge({ protoId, operation }) {
      if (operation !== undefined && (isTrading(operation) || operation === system.getGlobalState)) return undefined;
      const what = operation === undefined ? `protocol id ${protoId}` : `protocol id ${protoId} (${operation.name})`;
      return new Refused(`${what} is served by the platform; this is broker ${name}`);
    },
  };
}
