import { create, type Message } from '@bufbuild/protobuf';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { isTrading } from '@svc-gateway/contract/operation';
import { account, system } from '@svc-gateway/contract/operations';
import { unknownAccountText } from '@svc-gateway/contract/unknown-account';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { Refused, type Rule } from '../rule.js';

/** The platform answers what is not about accounts. */
export const platformOnly: Rule = {
  judge({ protoId, operation }) {
    if (operation === undefined || !isTrading(operation)) return undefined;
    return new Refused(`protocol id ${protoId} (${operation.name}) is served by the brokers; this is the platform`);
  },
};

/** A broker answers what is about its accounts, and how the server is. */
export function brokerOnly(name: string): Rule {
  return {
    judge({ protoId, operation }) {
      if (operation !== undefined && (isTrading(operation) || operation === system.getGlobalState)) return undefined;
      const what = operation === undefined ? `protocol id ${protoId}` : `protocol id ${protoId} (${operation.name})`;
      return new Refused(`${what} is served by the platform; this is broker ${name}`);
    },
  };
}

/** A broker knows its own accounts alone. */
export function ownAccounts(broker: string, accounts: ReadonlySet<bigint>): Rule {
  return {
    judge({ c2s }) {
      const { header } = c2s as Message & { header?: { readonly accID: bigint } };
      if (header === undefined || accounts.has(header.accID)) return undefined;
      return new Refused(unknownAccountText(header.accID, `at broker ${broker}`));
    },
    answered({ operation }, response) {
      if (operation !== account.listAccounts || response.retType !== 0) return response;
      const { s2c } = response as TrdGetAccList.Response;
      const accList = (s2c?.accList ?? []).filter(({ accID }) => accounts.has(accID));
      return create(TrdGetAccList.ResponseSchema, { retType: 0, s2c: { accList } }) as ResponseMessage;
    },
  };
}
