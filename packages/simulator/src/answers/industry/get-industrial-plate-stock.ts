import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  C2SSchema,
  type S2C,
  S2CSchema,
  SortField,
  StockInfoSchema,
} from '@svc-gateway/contract/generated/Qot_GetIndustrialPlateStock_pb';
import { plateStockMarkets } from '@svc-gateway/contract/industry-enums';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { missing, Refusal } from '../../refusal.js';
import { type Figure, type Hit, sorted } from '../../screen/index.js';
import { changeRate, turnover, volume } from '../../screen/quote-figures.js';
import { marketValue } from '../../screen/share-figures.js';
import { checkChoice } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import type { IndustrialPlate } from '../../world/chains.js';
import { chainOf, plateOf } from './named.js';
import { chainMarkets, sharesOfAll } from './shares.js';

const COUNT = { fallback: 50, max: 200 };

/** By `SortField`, but for the code. Money of several markets is compared in one currency. */
const figures: ReadonlyMap<number, Figure> = new Map([
  [SortField.SortField_ChangeRate, changeRate],
  [SortField.SortField_Turnover, inDollars(turnover)],
  [SortField.SortField_Volume, volume],
  [SortField.SortField_MarketVal, inDollars(marketValue)],
]);

/** Qot_GetIndustrialPlateStock: the stocks of an industrial plate or of all plates of a chain, in some markets or all. */
export const getIndustrialPlateStock: Answer<'world' | 'companies' | 'listings' | 'columnSnapshots' | 'caches', C2S, S2C> = (
  facts,
  request,
) => {
  const plates = platesNamed(request);
  if (plates instanceof Refusal) return plates;
  const markets = marketsNamed(request);
  if (markets instanceof Refusal) return markets;
  const field = given(C2SSchema, request, 'sortField') ?? SortField.SortField_MarketVal;
  const figure = figures.get(field);
  if (figure === undefined && field !== SortField.SortField_Code) {
    return new Refusal(`unknown sort_field ${field}; accepted: 0, ${[...figures.keys()].join(', ')}`, 'broker.value');
  }
  const hits = inOrder(sharesOfAll(facts, plates, markets), figure, request.ascend);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(hits, ({ row }) => row.listing.instrument.symbol, { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    stockList: page.items.map(({ row: { listing } }) =>
      create(StockInfoSchema, { security: listing.security, name: listing.instrument.name }),
    ),
    page: page.next,
    allCount: hits.length,
  });
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
