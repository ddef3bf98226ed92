import { IndustrialChainType } from '@svc-gateway/contract/generated/Qot_GetIndustrialChainList_pb';
import { type C2S, SortField } from '@svc-gateway/contract/generated/Qot_GetIndustrialPlateStock_pb';
import { plateStockMarkets } from '@svc-gateway/contract/industry-enums';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { industry as declared } from '@svc-gateway/contract/operations';
import { missing, Refusal } from '../../refusal.js';
import type { Figure } from '../../screen/column-snapshot.js';
import { changeRate, turnover, volume } from '../../screen/quote-figures.js';
import { type Hit, sorted } from '../../screen/screen.js';
import { marketValue } from '../../screen/share-figures.js';
import { given } from '../../view/messages.js';
import { checkChoice, countedPage } from '../../view/requests.js';
import { type Chain, chains, type IndustrialPlate, industrialPlates } from '../../world/chains.js';
import type { AnswerTo } from '../table.js';
import { chainMarkets, sharesOfAll } from './shares.js';

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
  const accepted = rangesOf(industrialPlates.map((one) => one.id));
  return plate ?? new Refusal(`plate_id: there is no industrial plate ${id}; accepted: ${accepted}`, 'broker.value');
}

/** "1001 to 1026, 3001 to 3016", of rising numbers. */
function rangesOf(ids: readonly number[]): string {
  const firsts = ids.filter((id) => !ids.includes(id - 1));
  const lasts = ids.filter((id) => !ids.includes(id + 1));
  return firsts.map((first, i) => `${first} to ${lasts[i]}`).join(', ');
}

/** Qot_GetIndustrialPlateInfo: what the companies of an industrial plate do, and which steps of chains are theirs. */
export const getIndustrialPlateInfo: AnswerTo<typeof declared.getIndustrialPlateInfo> = (_, { plateId }) => {
  const plate = plateOf(plateId);
  if (plate instanceof Refusal) return plate;
  const steps = chains.flatMap(({ name, nodes }) => nodes.filter((node) => node.plate === plate).map((node) => `${name} (${node.name})`));
  return { plateId, summary: `${plate.name}: ${plate.summary} Chains: ${steps.join('; ')}.` };
};

const COUNT = { fallback: 50, max: 200 };

/** By `SortField`, but for the code. Money of several markets is compared in one currency. */
const figures: ReadonlyMap<number, Figure> = new Map([
  [SortField.SortField_ChangeRate, changeRate],
  [SortField.SortField_Turnover, inDollars(turnover)],
  [SortField.SortField_Volume, volume],
  [SortField.SortField_MarketVal, inDollars(marketValue)],
]);

/** Qot_GetIndustrialPlateStock: the stocks of an industrial plate or of all plates of a chain, in some markets or all. */
export const getIndustrialPlateStock: AnswerTo<typeof declared.getIndustrialPlateStock> = (facts, request) => {
  const plates = platesNamed(request);
  if (plates instanceof Refusal) return plates;
  const markets = marketsNamed(request);
  if (markets instanceof Refusal) return markets;
  const field = given(request, 'sortField') ?? SortField.SortField_MarketVal;
  const figure = figures.get(field);
  if (figure === undefined && field !== SortField.SortField_Code) {
    return new Refusal(`unknown sort_field ${field}; accepted: 0, ${[...figures.keys()].join(', ')}`, 'broker.value');
  }
  const hits = inOrder(sharesOfAll(facts, plates, markets), figure, request.ascend);
  const page = countedPage(hits, ({ row }) => row.listing.instrument.symbol, request, COUNT);
  if (page instanceof Refusal) return page;
  return {
    stockList: page.items.map(({ row: { listing } }) => ({ security: listing.security, name: listing.instrument.name })),
    page: page.next,
    allCount: hits.length,
  };
};

/** A plate, or those of a chain; the plate where both are named. */
function platesNamed({ chainId, plateId }: C2S): readonly IndustrialPlate[] | Refusal {
  if (plateId !== 0n) {
    const plate = plateOf(plateId);
    return plate instanceof Refusal ? plate : [plate];
  }
  if (chainId === 0n) return missing(['plate_id'], 'one of plate_id, chain_id is required');
  const chain = chainOf(chainId);
  return chain instanceof Refusal ? chain : chain.plates;
}

function marketsNamed({ marketList }: C2S): readonly QuoteMarket[] | Refusal {
  for (const [index, number] of marketList.entries()) {
    const unknown = checkChoice(`market_list[${index}]`, number, plateStockMarkets);
    if (unknown !== undefined) return unknown;
  }
  const named = new Set(marketList.map((number) => quoteMarketNumbered(number)?.name));
  return marketList.length === 0 ? chainMarkets : chainMarkets.filter((market) => named.has(market));
}

/** By a figure, or by code; those that are equal by code, and then by market. */
function inOrder(hits: readonly Hit[], figure: Figure | undefined, ascending: boolean): readonly Hit[] {
  const codeOf = ({ row: { listing } }: Hit) => `${listing.instrument.code} ${listing.instrument.market}`;
  if (figure !== undefined) return sorted(hits, [{ figure, direction: ascending ? 'ascending' : 'descending' }], codeOf);
  const byCode = sorted(hits, [], codeOf);
  return ascending ? byCode : [...byCode].reverse();
}

const UNIT = 1_000_000_000n;

/** An amount of the listing's currency at the rate of the day. */
function inDollars(figure: Figure): Figure {
  return {
    ...figure,
    key: `${figure.key} in dollars`,
    of: (facts, row) => {
      const { listing, quote } = row;
      const rate = Number(facts.companies.inCurrency(UNIT, listing.instrument.currency, 'USD', quote.tradingDay)) / Number(UNIT);
      return figure.of(facts, row) * rate;
    },
  };
}
