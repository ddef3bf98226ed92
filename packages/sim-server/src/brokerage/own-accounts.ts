import { create, type Message } from '@bufbuild/protobuf';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { account } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import { Refused, type Rule } from '../rule.js';

/** A broker knows its own accounts alone. */
export function ownAccounts(broker: string, accounts: ReadonlySet<bigint>): Rule {
  return {
    name: 'own accounts',
    judge({ c2s }) {
      const { header } = c2s as Message & { header?: { readonly accID: bigint } };
      if (header === undefined || accounts.has(header.accID)) return undefined;
      return new Refused(`unknown account ${header.accID}: it is not in the list of accounts at broker ${broker}`);
    },
    answered({ operation }, response) {
      if (operation !== account.listAccounts || response.retType !== 0) return response;
      const { s2c } = response as TrdGetAccList.Response;
      const accList = (s2c?.accList ?? []).filter(({ accID }) => accounts.has(accID));
      return create(TrdGetAccList.ResponseSchema, { retType: 0, s2c: { accList } }) as ResponseMessage;
    },
  };
}
