import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import { type C2S, RelatedChainInfoSchema, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetIndustrialChainByPlate_pb.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { chains } from '../../world/chains.js';
import { chainTypes, plateOf } from './named.js';
import { chainMarkets, sharesOf, worthOf } from './shares.js';

/** Qot_GetIndustrialChainByPlate: the chains in which a plate has a step, with their companies of every market in US dollars. */
export const getIndustrialChainByPlate: Answer<'world' | 'companies' | 'listings' | 'boards', C2S, S2C> = async (facts, { plateId }) => {
  const plate = plateOf(plateId);
  if (plate instanceof Refusal) return plate;
  const relatedChainList = [];
  for (const { id, kind, name, plates } of chains) {
    if (!plates.includes(plate)) continue;
    const hits = await sharesOf(facts, plates, chainMarkets);
    const marketCap = decimalToNumber(await inTurns(worthOf(facts, hits, 'USD')));
    const stocksNum = BigInt(hits.length);
    relatedChainList.push(create(RelatedChainInfoSchema, { chainId: BigInt(id), chainType: chainTypes[kind], name, marketCap, stocksNum }));
  }
  return create(S2CSchema, { relatedChainList });
};
