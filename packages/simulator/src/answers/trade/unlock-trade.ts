import { create } from '@bufbuild/protobuf';
import type { C2S, S2C } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { S2CSchema } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import type { Answer } from '../../view/facts.js';

/** Trd_UnlockTrade: opens the real accounts of a firm for orders, or closes them again (which needs no password). */
export const unlockTrade: Answer<'brokerage', C2S, S2C> = ({ brokerage }, { unlock, pwdMD5, securityFirm }) => {
  if (unlock) return brokerage.lock.unlock(pwdMD5, securityFirm) ?? create(S2CSchema);
  brokerage.lock.lock();
  return create(S2CSchema);
};
