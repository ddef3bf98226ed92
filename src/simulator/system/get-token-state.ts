import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '../../contract/generated/svc/token_state_pb.js';
import type { QuoteHandler } from '../quote/quote-simulation.js';

/** The simulated user has no two-factor token: the trade password alone unlocks. */
export const getTokenState: QuoteHandler<C2S, S2C> = () =>
  create(S2CSchema, { nnTokenEnable: 0, nnTokenBind: 0, mmTokenEnable: 0, mmTokenBind: 0 });
