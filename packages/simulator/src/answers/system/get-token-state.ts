import { create, isFieldSet } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/token_state_pb';
import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

/** One account has a two-factor token, enabled and bound; the user and every other account have none: the trade password alone unlocks. */
export const getTokenState: Answer<'brokerage', C2S, S2C> = ({ brokerage }, request) => {
  const account = isFieldSet(request, C2SSchema.field.accId) ? brokerage.account(request.accId) : undefined;
  if (isFieldSet(request, C2SSchema.field.accId) && account === undefined) {
    return new Refusal(unknownAccountText(request.accId), UNKNOWN_ACCOUNT);
  }
  const token = account?.lacks === 'token' ? 1 : 0;
  // The app of the account's firm is the one that shows the token.
  return create(S2CSchema, { nnTokenEnable: 0, nnTokenBind: 0, mmTokenEnable: token, mmTokenBind: token });
};
