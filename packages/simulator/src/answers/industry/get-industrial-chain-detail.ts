import { create } from '@bufbuild/protobuf';
import { type C2S, IndustrialChainNodeSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetIndustrialChainDetail_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { chainOf, chainTypes } from './named.js';

/** Qot_GetIndustrialChainDetail: the steps of a chain, layer by layer. No links: the simulation has no pages to lead to. */
export const getIndustrialChainDetail: Answer<never, C2S, S2C> = (_, { chainId }) => {
  const chain = chainOf(chainId);
  if (chain instanceof Refusal) return chain;
  return create(S2CSchema, {
    chainId,
    chainType: chainTypes[chain.kind],
    name: chain.name,
    nodeList: chain.nodes.map(({ id, parent = 0, layer, name, plate }) =>
      create(IndustrialChainNodeSchema, {
        nodeId: BigInt(id),
        parentNodeId: BigInt(parent),
        layerSth: BigInt(layer),
        name,
        ...known({ plateId: plate === undefined ? undefined : BigInt(plate.id) }),
      }),
    ),
  });
};
