import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type C2S, C2SSchema } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { Rejection } from '@svc-gateway/contract/rejection';

/** Reads the trade password where the operator keeps it; undefined when there is none. */
export type TradePasswordSource = () => Promise<string | undefined>;

/**
 * An unlock asked for by a tool, with the password's digest that the backend wants. A language model must never see the
 * password, so that tools have no field for it and the daemon fills it in. Locking needs none.
 */
export async function withTradePassword(request: C2S, source: TradePasswordSource): Promise<C2S | Rejection> {
  if (Object.hasOwn(request, 'pwdMD5')) {
    return new Rejection('request.invalid', 'pwd_md5: tools take no password; the daemon has its own copy', { field: 'pwd_md5' });
  }
  if (!request.unlock) return request;
  const password = await source();
  if (password === undefined || password === '') {
    const message = 'the trade password is not available to the daemon: set SVC_TRADE_PWD for svcd, or store it with svcctl set-trade-pwd';
    return new Rejection('request.invalid', message);
  }
  // A copy: whoever holds on to the request, the audit trail and the idempotency keys among them, holds no secret.
  return create(C2SSchema, { ...request, pwdMD5: createHash('md5').update(password, 'utf8').digest('hex') });
}
