import { operation } from '../declare.js';
import { none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { chainMarket, plateStockMarkets, plateStockSort } from '../industry-enums.js';
import { anyOf } from '../scope.js';
import { choice, choices, flag, id, integer, type Shape, text } from '../shape.js';

const common = { group: 'industry', effect: 'read', scope: anyOf('qot:read') } as const;

const chainId = (about: string) => id('chainId', { about });
const plateId = (about: string) => id('plateId', { about });
const page = (field: string, max: number, fallback: number): Shape => [
  integer('count', { default: fallback, min: 1, max, about: 'Most rows.' }),
  text('page', { about: `${field} of the page before.`, maxBytes: 64 }),
];
const FROM_LIST = 'From svc_get_industrial_chain_list.';
const FROM_DETAIL = 'From svc_get_industrial_chain_detail.';

export const getIndustrialChainList = operation({
  ...common,
  name: 'get_industrial_chain_list',
  reach: [{ list: 'dataList.relationSecurityList', of: 'security', total: 'allCount', more: { field: 'nextPage', last: '' } }],
  protoId: 3427,
  messages: messages.QotGetIndustrialChainList,
  classes: { 'Qot_GetIndustrialChainList.C2S': { market: 'quote_market', keyword: 'none', count: 'none', page: 'none' } },
  title: 'Industrial chains',
  summary: 'Industrial chains, from raw material to customer, with their market value, number of stocks and largest stocks in a market.',
  guide:
    'Start here for a chain_id; keyword finds a chain by its name or one of its steps. The steps are in svc_get_industrial_chain_detail, all stocks in svc_get_industrial_plate_stock.',
  shape: [
    choice('market', chainMarket),
    text('keyword', { about: 'A part of the name, of the description or of a step.', maxBytes: 128 }),
    ...page('next_page', 50, 20),
  ],
});

export const getIndustrialChainDetail = operation({
  ...common,
  name: 'get_industrial_chain_detail',
  // Names of industries, the same for every market.
  reach: 'general',
  protoId: 3428,
  messages: messages.QotGetIndustrialChainDetail,
  classes: { 'Qot_GetIndustrialChainDetail.C2S': { chainId: 'none' } },
  title: 'Steps of a chain',
  summary: 'The steps of an industrial chain as a tree, each with the industrial plate of the companies that take it.',
  guide:
    'Take chain_id from svc_get_industrial_chain_list. A node’s plate_id goes into svc_get_industrial_plate_stock for its companies; a node without one groups those below it.',
  shape: [chainId(FROM_LIST)],
});

export const getIndustrialChainByPlate = operation({
  ...common,
  name: 'get_industrial_chain_by_plate',
  // Sums over every market.
  reach: 'beyond',
  protoId: 3429,
  messages: messages.QotGetIndustrialChainByPlate,
  classes: { 'Qot_GetIndustrialChainByPlate.C2S': { plateId: 'none' } },
  title: 'Chains of a plate',
  summary:
    'The industrial chains in which an industrial plate has a step, with their market value in US dollars and number of stocks over all markets.',
  guide:
    'For what depends on an industry, and what the industry itself depends on. plate_id is that of a node in svc_get_industrial_chain_detail.',
  shape: [plateId(FROM_DETAIL)],
});

export const getIndustrialPlateInfo = operation({
  ...common,
  name: 'get_industrial_plate_info',
  reach: 'general',
  protoId: 3430,
  messages: messages.QotGetIndustrialPlateInfo,
  classes: { 'Qot_GetIndustrialPlateInfo.C2S': { plateId: 'none' } },
  title: 'About an industrial plate',
  summary: 'What the companies of an industrial plate do, and in which chains it has a step.',
  guide:
    'A text to read; figures of the industries of a market are in svc_get_heat_map_data. plate_id is that of a node in svc_get_industrial_chain_detail.',
  shape: [plateId(FROM_DETAIL)],
});

export const getIndustrialPlateStock = operation({
  ...common,
  name: 'get_industrial_plate_stock',
  reach: [{ list: 'stockList', of: 'security', at: 'security', total: 'allCount', more: { field: 'page', last: '' } }],
  protoId: 3431,
  messages: messages.QotGetIndustrialPlateStock,
  classes: {
    'Qot_GetIndustrialPlateStock.C2S': { marketList: 'filter', ...none('chainId', 'plateId', 'sortField', 'ascend', 'count', 'page') },
  },
  title: 'Stocks of a chain or plate',
  summary: 'The stocks of an industrial plate, or of a whole chain, over all markets or some, sorted as asked.',
  guide:
    'By plate_id for one step of a chain, by chain_id for all of it; plate_id counts when both are given. Money is compared in US dollars. Prices are in svc_get_snapshot.',
  shape: [
    chainId(FROM_LIST),
    plateId(FROM_DETAIL),
    choices('marketList', plateStockMarkets, { about: 'Of which markets; all when omitted.' }),
    choice('sortField', plateStockSort, { about: 'Market value when omitted.' }),
    flag('ascend', { default: false, about: 'Smallest first.' }),
    ...page('page', 200, 50),
  ],
  needs: [{ oneOf: ['plateId', 'chainId'] }],
});
