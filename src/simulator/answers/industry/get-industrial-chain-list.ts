import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import {
  type C2S,
  C2SSchema,
  IndustrialChainInfoSchema,
  type S2C,
  S2CSchema,
} from '../../../contract/generated/Qot_GetIndustrialChainList_pb.js';
import { chainMarket } from '../../../contract/industry-enums.js';
import { type QuoteMarket, quoteMarket } from '../../../contract/markets.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { sorted } from '../../screen/index.js';
import { marketValue } from '../../screen/share-figures.js';
import { marketOf } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given } from '../../view/given.js';
import { membersOf } from '../../view/plates.js';
import { type Chain, chains } from '../../world/chains.js';
import { chainTypes } from './named.js';
import { sharesOf, worthOf } from './shares.js';

const COUNT = { fallback: 20, max: 50 };
/** Stocks that are named beside a chain. */
const SHOWN = 10;

type Needed = Facts<'world' | 'companies' | 'listings' | 'boards'>;

/** Qot_GetIndustrialChainList: the chains that have stocks in a market, by their numbers, with what these come to there and the largest of them. */
export const getIndustrialChainList: Answer<'world' | 'companies' | 'listings' | 'boards', C2S, S2C> = async (facts, request) => {
  const market = marketOf(request.market, chainMarket);
  if (market instanceof Refusal) return market;
  const wanted = chains.filter(told(request.keyword)).filter((chain) => isIn(facts, chain, market));
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(wanted, ({ id }) => String(id), { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  const dataList = [];
  for (const chain of page.items) dataList.push(await infoOf(facts, chain, market));
  return create(S2CSchema, { dataList, allCount: wanted.length, nextPage: page.next });
};

/** Whether a word is in a chain's name or description, or in that of one of its steps or their plates. */
function told(keyword: string): (chain: Chain) => boolean {
  const wanted = keyword.trim().toLowerCase();
  const says = (text: string) => text.toLowerCase().includes(wanted);
  return ({ name, detail, nodes }) => says(name) || says(detail) || nodes.some((node) => says(node.name) || says(node.plate?.name ?? ''));
}

function isIn(facts: Needed, { plates }: Chain, market: QuoteMarket): boolean {
  return plates.some((one) => {
    const plate = one.in(market);
    return plate !== undefined && membersOf(facts, plate).length > 0;
  });
}

async function infoOf(facts: Needed, { id, kind, name, detail, plates }: Chain, market: QuoteMarket) {
  const hits = await sharesOf(facts, plates, [market]);
  const largest = await sorted(hits, [{ figure: marketValue, direction: 'descending' }]);
  return create(IndustrialChainInfoSchema, {
    chainId: BigInt(id),
    chainType: chainTypes[kind],
    name,
    detail,
    marketCap: decimalToNumber(await inTurns(worthOf(facts, hits, quoteMarket(market).currency))),
    stocksNum: BigInt(hits.length),
    relationSecurityList: largest.slice(0, SHOWN).map(({ row }) => row.listing.security),
  });
}
