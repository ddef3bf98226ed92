import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '../../../contract/decimal.js';
import { type C2S, RelatedChainInfoSchema, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetIndustrialChainByPlate_pb.js';
import { Refusal } from '../../refusal.js';
import type { Row } from '../../screen/column-snapshot.js';
import type { Answer, Facts } from '../../view/facts.js';
import { chains, type IndustrialPlate } from '../../world/chains.js';
import { chainTypes, plateOf } from './named.js';
import { chainMarkets, sharesOfAll, worthOf } from './shares.js';

/** Qot_GetIndustrialChainByPlate: the chains in which a plate has a step, with their companies of every market in US dollars. */
export const getIndustrialChainByPlate: Answer<'world' | 'companies' | 'listings' | 'columnSnapshots', C2S, S2C> = (facts, { plateId }) => {
  const plate = plateOf(plateId);
  if (plate instanceof Refusal) return plate;
  const relatedChainList = [];
  for (const { id, kind, name, plates } of chains) {
    if (!plates.includes(plate)) continue;
    const { worth, count } = everywhere(facts, plates);
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

/** By the first of the rows that were summed: rows last for a minute, and so do those of the other markets beside them. */
const sums = new WeakMap<Row, Map<readonly IndustrialPlate[], Sum>>();

function everywhere(facts: Facts<'world' | 'companies' | 'listings' | 'columnSnapshots'>, plates: readonly IndustrialPlate[]): Sum {
  const hits = sharesOfAll(facts, plates, chainMarkets);
  const [first] = hits;
  if (first === undefined) return { worth: 0n, count: 0 };
  const known = sums.get(first.row) ?? new Map<readonly IndustrialPlate[], Sum>();
  sums.set(first.row, known);
  const sum = known.get(plates) ?? { worth: worthOf(facts, hits, 'USD'), count: hits.length };
  known.set(plates, sum);
  return sum;
}
