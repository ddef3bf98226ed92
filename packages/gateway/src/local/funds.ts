import { isFieldSet } from '@bufbuild/protobuf';
import { currency as currencies } from '@svc-gateway/contract/enums';
import { type C2S, C2SSchema } from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import { account } from '@svc-gateway/contract/operations';
import type { Backend } from '../backend.js';
import { protocolInterfaces } from '../orders/cancel-scope.js';
import { failure, following, payloadOf } from '../responses.js';
import { type LocalOperation, withBackend } from './index.js';

/**
 * Funds in the currency asked for, or a refusal. The public protocol passes a currency over for accounts that have one of their
 * own, and its clients send one always: to them the answer says in which currency it is. Other callers named it on purpose.
 */
export function getFunds(backend: Backend): LocalOperation {
  return withBackend(({ request, caller, context }) => {
    const asked = request as C2S;
    return following(backend.call(account.getFunds, asked, context), (response) => {
      const shown = payloadOf(account.getFunds, response)?.funds?.currency;
      const ignored = isFieldSet(asked, C2SSchema.field.currency) && shown !== undefined && shown !== asked.currency;
      if (!ignored || protocolInterfaces.has(caller.iface)) return response;
      const message = `account ${asked.header?.accID} has no ${nameOf(asked.currency)}: its funds are in ${nameOf(shown)}`;
      return failure(account.getFunds, message);
    });
  });
}

function nameOf(number: number): string {
  return currencies.members.find((member) => member.public === number)?.name ?? `currency ${number}`;
}
