import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  C2SSchema,
  IndustrialChainInfoSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetIndustrialChainList_pb';
import { chainMarket } from '@svc-gateway/contract/industry-enums';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { type Chain, chains } from '../../world/chains.js';
import { chainTypes } from './named.js';
import { type ChainShares, sharesOf } from './shares.js';

const COUNT = { fallback: 20, max: 50 };
/** Qot_GetIndustrialChainList: the chains that have stocks in a market, by their numbers, with what these come to there and the largest of them. */
export const getIndustrialChainList: Answer<'world' | 'companies' | 'listings' | 'columnSnapshots' | 'caches', C2S, S2C> = (
  facts,
  request,
) => {
  const market = marketOf(request.market, chainMarket);
  if (market instanceof Refusal) return market;
  const shares = sharesOf(facts, market);
  const wanted: Chain[] = [];
  for (const chain of chains.filter(told(request.keyword))) if (shares.of(chain.plates).length > 0) wanted.push(chain);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(wanted, ({ id }) => String(id), { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  const dataList = [];
  for (const chain of page.items) dataList.push(infoOf(chain, shares.chain(chain)));
  return create(S2CSchema, { dataList, allCount: wanted.length, nextPage: page.next });
};

/** Whether a word is in a chain's name or description, or in that of one of its steps or their plates. */
function told(keyword: string): (chain: Chain) => boolean {
  const wanted = keyword.trim().toLowerCase();
  const says = (text: string) => text.toLowerCase().includes(wanted);
  return ({ name, detail, nodes }) => says(name) || says(detail) || nodes.some((node) => says(node.name) || says(node.plate?.name ?? ''));
}

function infoOf({ id, kind, name, detail }: Chain, { hits, worth, largest }: ChainShares) {
  return create(IndustrialChainInfoSchema, {
    chainId: BigInt(id),
    chainType: chainTypes[kind],
    name,
    detail,
    marketCap: decimalToNumber(worth),
    stocksNum: BigInt(hits.length),
    relationSecurityList: largest.map(({ row }) => row.listing.security),
  });
}
