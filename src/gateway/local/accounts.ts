import { clone } from '@bufbuild/protobuf';
import { type Access, allowsAccount } from '../../access/index.js';
import { S2CSchema } from '../../contract/generated/Trd_GetAccList_pb.js';
import { account } from '../../contract/operations/index.js';
import type { Backend, ResponseMessage } from '../backend.js';
import { payloadOf, success } from '../responses.js';
import type { LocalHandler } from './index.js';

/** The account list, without the accounts that the caller's key may not use. */
export function listAccounts(backend: Backend, access: Access): LocalHandler {
  return async ({ request, identity, context }) => {
    const response: ResponseMessage = await backend.call(account.listAccounts, request, context);
    const s2c = payloadOf(account.listAccounts, response);
    const limits = [identity.key?.limits, access.flagLimits].filter((each) => each !== undefined);
    if (s2c === undefined || limits.every(({ allowedAccIds }) => allowedAccIds === null)) return response;
    const visible = clone(S2CSchema, s2c);
    visible.accList = visible.accList.filter(({ accID }) => limits.every((each) => allowsAccount(each, accID)));
    return success(account.listAccounts, visible);
  };
}
