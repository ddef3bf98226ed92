import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetIndustrialPlateInfo_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { chains } from '../../world/chains.js';
import { plateOf } from './named.js';

/** Qot_GetIndustrialPlateInfo: what the companies of an industrial plate do, and which steps of chains are theirs. */
export const getIndustrialPlateInfo: Answer<never, C2S, S2C> = (_, { plateId }) => {
  const plate = plateOf(plateId);
  if (plate instanceof Refusal) return plate;
  const steps = chains.flatMap(({ name, nodes }) => nodes.filter((node) => node.plate === plate).map((node) => `${name} (${node.name})`));
  return create(S2CSchema, { plateId, summary: `${plate.name}: ${plate.summary} Chains: ${steps.join('; ')}.` });
};
