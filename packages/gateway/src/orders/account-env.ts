import { create, type Message } from '@bufbuild/protobuf';
import { wholeAccountMarket } from '@svc-gateway/contract/account-market';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as AccountListC2S } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { failure, payloadOf, RET_SUCCEED } from '../responses.js';
import { unknownAccount } from '../unknown-account.js';

/**
 * Writes the environment of the account that a request names into its header, and a market where it names none: what the caller's scope is held
 * against cannot be what the caller says. The backend's refusal where it does not say.
 */
export async function addressByAccount(
  backend: Backend,
  operation: Operation,
  request: Message,
  context: CallContext,
): Promise<undefined | Rejection | ResponseMessage> {
  const { header } = request as Message & { header?: TrdHeader };
  if (header === undefined) return new Rejection('request.missing_field', 'missing field "header"', { field: 'header' });
  const response = await backend.call(account.listAccounts, create(AccountListC2S, { userID: 0n, needGeneralSecAccount: true }), context);
  if (response.retType !== RET_SUCCEED) return failure(operation, response.retMsg, response.errCode);
  const own = payloadOf(account.listAccounts, response)?.accList.find(({ accID }) => accID === header.accID);
  if (own === undefined) return unknownAccount(operation, header.accID);
  header.trdEnv = own.trdEnv;
  if (header.trdMarket === 0) header.trdMarket = wholeAccountMarket(own);
  return undefined;
}
