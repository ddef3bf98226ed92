import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { chainMarket } from '@svc-gateway/contract/industry-enums';
import type { industry as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { countedPage, marketOf } from '../../view/requests.js';
import { type Chain, chains } from '../../world/chains.js';
import type { AnswerTo } from '../table.js';
import { chainOf, chainTypes, plateOf } from './industrial-plates.js';
import { type ChainShares, chainMarkets, sharesOf, sharesOfAll, worthOf } from './shares.js';

const COUNT = { fallback: 20, max: 50 };
/** Qot_GetIndustrialChainList: the chains that have stocks in a market, by their numbers, with what these come to there and the largest of them. */
export const getIndustrialChainList: AnswerTo<typeof declared.getIndustrialChainList> = (facts, request) => {
  const market = marketOf(request.market, chainMarket);
  if (market instanceof Refusal) return market;
  const shares = sharesOf(facts, market);
  const wanted = chains.filter(told(request.keyword)).filter(({ plates }) => shares.of(plates).length > 0);
  const page = countedPage(wanted, ({ id }) => String(id), request, COUNT);
  if (page instanceof Refusal) return page;
  const dataList = page.items.map((chain) => infoOf(chain, shares.chain(chain)));
  return { dataList, allCount: wanted.length, nextPage: page.next };
};

/** Whether a word is in a chain's name or description, or in that of one of its steps or their plates. */
function told(keyword: string): (chain: Chain) => boolean {
  const wanted = keyword.trim().toLowerCase();
  const says = (text: string) => text.toLowerCase().includes(wanted);
  return ({ name, detail, nodes }) => says(name) || says(detail) || nodes.some((node) => says(node.name) || says(node.plate?.name ?? ''));
}

function infoOf({ id, kind, name, detail }: Chain, { hits, worth, largest }: ChainShares) {
  return {
    chainId: BigInt(id),
    chainType: chainTypes[kind],
    name,
    detail,
    marketCap: decimalToNumber(worth),
    stocksNum: BigInt(hits.length),
    relationSecurityList: largest.map(({ row }) => row.listing.security),
  };
}

/** Qot_GetIndustrialChainDetail: the steps of a chain, layer by layer. No links: the simulation has no pages to lead to. */
export const getIndustrialChainDetail: AnswerTo<typeof declared.getIndustrialChainDetail> = (_, { chainId }) => {
  const chain = chainOf(chainId);
  if (chain instanceof Refusal) return chain;
  return {
    chainId,
    chainType: chainTypes[chain.kind],
    name: chain.name,
    nodeList: chain.nodes.map(({ id, parent = 0, layer, name, plate }) => ({
      nodeId: BigInt(id),
      parentNodeId: BigInt(parent),
      layerSth: BigInt(layer),
      name,
      plateId: plate === undefined ? undefined : BigInt(plate.id),
    })),
  };
};

/** Qot_GetIndustrialChainByPlate: the chains in which a plate has a step, with their companies of every market in US dollars. */
export const getIndustrialChainByPlate: AnswerTo<typeof declared.getIndustrialChainByPlate> = (facts, { plateId }) => {
  const plate = plateOf(plateId);
  if (plate instanceof Refusal) return plate;
  const relatedChainList = chains
    .filter(({ plates }) => plates.includes(plate))
    .map(({ id, kind, name, plates }) => {
      const hits = sharesOfAll(facts, plates, chainMarkets);
      const marketCap = decimalToNumber(worthOf(facts, hits, 'USD'));
      return { chainId: BigInt(id), chainType: chainTypes[kind], name, marketCap, stocksNum: BigInt(hits.length) };
    });
  return { relatedChainList };
};
