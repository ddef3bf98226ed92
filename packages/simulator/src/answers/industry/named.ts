import { IndustrialChainType } from '@svc-gateway/contract/generated/Qot_GetIndustrialChainList_pb';
import { Refusal } from '../../refusal.js';
import { type Chain, chains, type IndustrialPlate, industrialPlates } from '../../world/chains.js';

/** The message's number of each form. */
export const chainTypes = {
  series: IndustrialChainType.IndustrialChainType_Chain,
  parallel: IndustrialChainType.IndustrialChainType_Parallel,
  upMidDown: IndustrialChainType.IndustrialChainType_UpMidDown,
} as const satisfies Record<Chain['kind'], IndustrialChainType>;

/** The chain of a number, or why there is none. */
export function chainOf(id: bigint): Chain | Refusal {
  const chain = chains.find((one) => BigInt(one.id) === id);
  return chain ?? new Refusal(`chain_id: there is no chain ${id}; accepted: 1 to ${chains.length}`, 'broker.value');
}

/** The industrial plate of a number, or why there is none. */
export function plateOf(id: bigint): IndustrialPlate | Refusal {
  const plate = industrialPlates.find((one) => BigInt(one.id) === id);
  return (
    plate ??
    new Refusal(
      `plate_id: there is no industrial plate ${id}; accepted: ${rangesOf(industrialPlates.map((one) => one.id))}`,
      'broker.value',
    )
  );
}

/** "1001 to 1026, 3001 to 3016", of rising numbers. */
function rangesOf(ids: readonly number[]): string {
  const firsts = ids.filter((id) => !ids.includes(id - 1));
  const lasts = ids.filter((id) => !ids.includes(id + 1));
  return firsts.map((first, i) => `${first} to ${lasts[i]}`).join(', ');
}
