import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, RelatedChainInfoSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetIndustrialChainByPlate_pb';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Answer, Facts } from '../../view/facts.js';
import { type Chain, chains } from '../../world/chains.js';
import { chainTypes, plateOf } from './named.js';
import { chainMarkets, sharesOfAll, worthOf } from './shares.js';

type Needed = Facts<'world' | 'companies' | 'listings' | 'columnSnapshots' | 'caches'>;

/** Qot_GetIndustrialChainByPlate: the chains in which a plate has a step, with their companies of every market in US dollars. */
export const getIndustrialChainByPlate: Answer<'world' | 'companies' | 'listings' | 'columnSnapshots' | 'caches', C2S, S2C> = (
  facts,
  { plateId },
) => {
  const plate = plateOf(plateId);
  if (plate instanceof Refusal) return plate;
  const relatedChainList = [];
  for (const chain of chains) {
    const { id, kind, name, plates } = chain;
    if (!plates.includes(plate)) continue;
    const { worth, count } = everywhere(facts, chain);
    const [marketCap, stocksNum] = [decimalToNumber(worth), BigInt(count)];
    relatedChainList.push(create(RelatedChainInfoSchema, { chainId: BigInt(id), chainType: chainTypes[kind], name, marketCap, stocksNum }));
  }
  return create(S2CSchema, { relatedChainList });
};

/** Totals of the stocks of some plates over all markets. */
interface Sum {
  readonly worth: Decimal;
  readonly count: number;
}

const sums: CacheKind<Sum> = { max: 1_000 };

function everywhere(facts: Needed, { id, plates }: Chain): Sum {
  return facts.caches.ofMinute(sums, String(id), () => {
    const hits = sharesOfAll(facts, plates, chainMarkets);
    return { worth: worthOf(facts, hits, 'USD'), count: hits.length };
  });
}
