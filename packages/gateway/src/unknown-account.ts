import { type TrdAcc, TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import type { Backend, CallContext, ResponseMessage } from './backend.js';
import { BackendFailure } from './backend-failures.js';
import { failure } from './responses.js';
import { allAccounts } from './traded-accounts.js';

/** The answer to a request about an account that the brokerage does not list. `trdEnv`: where it was looked for in one environment. */
export function unknownAccount(operation: Operation, accId: bigint, trdEnv?: number): ResponseMessage {
  const where = trdEnv === undefined ? '' : trdEnv === TrdEnv.TrdEnv_Real ? 'real' : 'simulate';
  return failure(operation, unknownAccountText(accId, where), UNKNOWN_ACCOUNT);
}

/** The refusal of an account that the brokerage does not list; undefined where it does, or where it does not answer. */
export function refuseUnknownAccount(
  backend: Backend,
  operation: Operation,
  header: TrdHeader | undefined,
  context: CallContext,
): ResponseMessage | undefined | Promise<ResponseMessage | undefined> {
  const accID = header?.accID ?? 0n;
  const trdEnv = header?.trdEnv ?? TrdEnv.TrdEnv_Simulate;
  const judged = (accounts: readonly TrdAcc[] | string): ResponseMessage | undefined => {
    if (typeof accounts === 'string' || accounts.some((one) => one.accID === accID && one.trdEnv === trdEnv)) return undefined;
    return unknownAccount(operation, accID, trdEnv);
  };
  const unanswered = (thrown: unknown): undefined => {
    if (!(thrown instanceof BackendFailure)) throw thrown;
  };
  try {
    const accounts = allAccounts(backend, context);
    return accounts instanceof Promise ? accounts.then(judged, unanswered) : judged(accounts);
  } catch (thrown) {
    return unanswered(thrown);
  }
}
