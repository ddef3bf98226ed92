import { create, isFieldSet } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '../../../contract/generated/svc/token_state_pb.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

/** The simulated user has no two-factor token, for whichever account: the trade password alone unlocks. */
export const getTokenState: Answer<'brokerage', C2S, S2C> = ({ brokerage }, request) => {
  if (isFieldSet(request, C2SSchema.field.accId) && brokerage.account(request.accId) === undefined) {
    return new Refusal(`unknown account ${request.accId}; accounts: ${brokerage.accounts.map(({ id }) => id).join(', ')}`);
  }
  return create(S2CSchema, { nnTokenEnable: 0, nnTokenBind: 0, mmTokenEnable: 0, mmTokenBind: 0 });
};
