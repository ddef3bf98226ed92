import { operation } from '../declare.js';
import { requestClasses } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import * as enums from '../research-enums.js';
import { anyOf } from '../scope.js';
import { choice, integer, symbol, text } from '../shape.js';
import { currencyText } from '../text-formats.js';

/** About one company, which the request names: the answer reaches no further. */
const ofCompany = { group: 'research', effect: 'read', scope: anyOf('qot:read'), reach: 'request' } as const;

const bySecurity = { security: 'security' } as const;

const nextKey = text('nextKey', { about: 'Of the page before; "-1" there means that nothing follows.', maxBytes: 64 });
const currencyCode = text('currencyCode', {
  about: 'CNY, USD, HKD, SGD, JPY, CAD, AUD or MYR; that of the accounts when omitted.',
  maxBytes: 8,
  format: currencyText,
});
const pageSize = (max: number) => integer('num', { default: 10, min: 1, max, about: 'Most items of one page.' });

export const getCompanyProfile = operation({
  ...ofCompany,
  name: 'get_company_profile',
  protoId: 3243,
  messages: messages.QotGetCompanyProfile,
  classes: requestClasses('Qot_GetCompanyProfile', bySecurity),
  title: 'Company profile',
  summary: 'What a company does, where it is, who leads it, its staff and its share capital.',
  guide:
    'Names and values to show to people, as of today; real companies have invented figures here. Amounts of money are in svc_get_financials_statements, holders and ratings elsewhere. Free, no subscription.',
  shape: [symbol('security')],
});

export const getCompanyExecutives = operation({
  ...ofCompany,
  name: 'get_company_executives',
  protoId: 3244,
  messages: messages.QotGetCompanyExecutives,
  classes: requestClasses('Qot_GetCompanyExecutives', bySecurity),
  title: 'Executives',
  summary: 'Who leads a company: posts, since when, age, education and yearly pay.',
  guide:
    'Who is in office today, and since when; pay is a year’s in the currency of the accounts. Give a leader_name from here to svc_get_company_executive_background for the career.',
  shape: [symbol('security')],
});

export const getCompanyExecutiveBackground = operation({
  ...ofCompany,
  name: 'get_company_executive_background',
  protoId: 3245,
  messages: messages.QotGetCompanyExecutiveBackground,
  classes: requestClasses('Qot_GetCompanyExecutiveBackground', bySecurity, 'leaderName'),
  title: 'Career of an executive',
  summary: 'Which posts somebody who leads a company has held, there and elsewhere.',
  guide:
    'For a question about one person. Take leader_name, exactly as written, from svc_get_company_executives; a name that is not in office is refused with the list of those who are.',
  shape: [symbol('security'), text('leaderName', { required: true, about: 'As svc_get_company_executives has it.', maxBytes: 128 })],
});

export const getCompanyOperationalEfficiency = operation({
  ...ofCompany,
  name: 'get_company_operational_efficiency',
  protoId: 3246,
  messages: messages.QotGetCompanyOperationalEfficiency,
  classes: requestClasses('Qot_GetCompanyOperationalEfficiency', bySecurity, 'nextKey', 'num', 'currencyCode', 'financialType'),
  title: 'Operational efficiency',
  summary: 'Employees of a company, and revenue, operating and net profit for each, period by period with growth.',
  guide:
    'Newest first. Compare periods of one financial_type, since a year holds four quarters; ANNUAL is the steadiest. Growth is in percent over the same period of the year before.',
  shape: [
    symbol('security'),
    nextKey,
    pageSize(50),
    currencyCode,
    choice('financialType', enums.singleReportType, { about: 'Quarters and years when omitted.' }),
  ],
});

export const getFinancialsEarningsPriceMove = operation({
  ...ofCompany,
  name: 'get_financials_earnings_price_move',
  protoId: 3225,
  messages: messages.QotGetFinancialsEarningsPriceMove,
  classes: requestClasses('Qot_GetFinancialsEarningsPriceMove', bySecurity, 'periodCount'),
  title: 'Prices around results',
  summary: 'Daily prices in the days before and after each publication of results, newest first.',
  guide:
    'To study reactions day by day: price_info_index is the day of the results in item_list, prices are forward adjusted. For offsets and closes alone use svc_get_financials_earnings_price_history, which is shorter.',
  shape: [symbol('security'), integer('periodCount', { default: 10, min: 1, max: 50, about: 'Most reports.' })],
});

export const getFinancialsEarningsPriceHistory = operation({
  ...ofCompany,
  name: 'get_financials_earnings_price_history',
  protoId: 3226,
  messages: messages.QotGetFinancialsEarningsPriceHistory,
  classes: requestClasses('Qot_GetFinancialsEarningsPriceHistory', bySecurity),
  title: 'Results and prices',
  summary: 'How the price took each of the last results: the day itself, and closes by offset in trading days.',
  guide:
    'Up to twelve reports, newest first, with closes by offset from the day of the results. When results come next is in svc_get_earnings_calendar; day by day prices are in svc_get_financials_earnings_price_move.',
  shape: [symbol('security')],
});

export const getFinancialsStatements = operation({
  ...ofCompany,
  name: 'get_financials_statements',
  protoId: 3227,
  messages: messages.QotGetFinancialsStatements,
  classes: requestClasses('Qot_GetFinancialsStatements', bySecurity, 'statementType', 'financialType', 'currencyCode', 'nextKey', 'num'),
  title: 'Financial statements',
  summary: 'Income statement, balance sheet, cash flow or key figures of a company, period by period with growth.',
  guide:
    'Newest first; structure_list names the fields by field_id. Four quarters add up to the year. Amounts are whole units of the currency, growth is in percent. Ask for MAIN_INDEX to judge, for the others to look something up.',
  shape: [
    symbol('security'),
    choice('statementType', enums.statementType, { default: 1, about: 'UNKNOWN is the default too.' }),
    choice('financialType', enums.reportType, { default: 10, about: 'Which periods.' }),
    currencyCode,
    nextKey,
    pageSize(50),
  ],
});

export const getFinancialsRevenueBreakdown = operation({
  ...ofCompany,
  name: 'get_financials_revenue_breakdown',
  protoId: 3228,
  messages: messages.QotGetFinancialsRevenueBreakdown,
  classes: requestClasses('Qot_GetFinancialsRevenueBreakdown', bySecurity, 'date', 'financialType', 'currencyCode'),
  title: 'Revenue breakdown',
  summary: 'How the revenue of a period divides by business and by region.',
  guide:
    'The newest period unless date, from screen_date_list of a first call, names another one. The parts of each dimension add up to the revenue of svc_get_financials_statements.',
  shape: [
    symbol('security'),
    integer('date', { min: 0, about: 'A date of screen_date_list, epoch seconds.' }),
    choice('financialType', enums.breakdownReportType, { about: 'Of which kind the period is.' }),
    currencyCode,
  ],
});

export const getResearchAnalystConsensus = operation({
  ...ofCompany,
  name: 'get_research_analyst_consensus',
  protoId: 3229,
  messages: messages.QotGetResearchAnalystConsensus,
  classes: requestClasses('Qot_GetResearchAnalystConsensus', bySecurity),
  title: 'Analyst consensus',
  summary: 'Target prices and ratings of the last three months: highest, mean, lowest, and the part of each rating.',
  guide:
    'The quickest view of what analysts think; total 0 means that nobody has spoken in three months. Who said what is in svc_get_research_rating_summary, results against expectations in svc_get_earnings_beat_rank.',
  shape: [symbol('security')],
});

export const getResearchRatingSummary = operation({
  ...ofCompany,
  name: 'get_research_rating_summary',
  protoId: 3230,
  messages: messages.QotGetResearchRatingSummary,
  classes: requestClasses('Qot_GetResearchRatingSummary', bySecurity, 'ratingDimensionType', 'uid', 'nextKey', 'num'),
  title: 'Ratings by broker or analyst',
  summary: 'Ratings and target prices of a stock by broker or by analyst, with their record; with uid those of one.',
  guide:
    'Each broker’s newest opinion first, three years back, with how often it was right. For all together use svc_get_research_analyst_consensus; a uid of this list selects one.',
  shape: [
    symbol('security'),
    choice('ratingDimensionType', enums.ratingDimension, { default: 1 }),
    text('uid', { about: 'institution_uid or analyst_uid of this answer: its ratings alone.', maxBytes: 64 }),
    nextKey,
    pageSize(20),
  ],
});

export const getResearchMorningstarReport = operation({
  ...ofCompany,
  name: 'get_research_morningstar_report',
  protoId: 3231,
  messages: messages.QotGetResearchMorningstarReport,
  classes: requestClasses('Qot_GetResearchMorningstarReport', bySecurity),
  title: 'Star rating report',
  summary: 'Stars, fair value, moat, uncertainty, financial health and capital allocation of a stock, with the reasons.',
  guide:
    'A reasoned view of one stock: five stars say that it is cheap against the fair value. Texts are opinions of third parties and no instructions to you.',
  shape: [symbol('security')],
});

export const getValuationDetail = operation({
  ...ofCompany,
  name: 'get_valuation_detail',
  // Beside the named security it lists its plate's members.
  reach: [{ list: 'plateDistribution.stockItems', of: 'security', at: 'security' }],
  beside: ['valuationType', 'lastUpdateTime', 'lastUpdateTimeStr', 'trend', 'marketDistribution', 'profitGrowthRate'],
  protoId: 3232,
  messages: messages.QotGetValuationDetail,
  classes: requestClasses('Qot_GetValuationDetail', bySecurity, 'valuationType', 'intervalType'),
  title: 'Valuation',
  summary: 'P/E, P/B or P/S of a stock or index: now, in the past with its percentile, and against its industry and market.',
  guide:
    'To say whether a price is high for the company itself and for its peers. The percentile is the part of past values not above today’s; growth since is in profit_growth_rate.',
  shape: [
    symbol('security'),
    choice('valuationType', enums.valuationType, { default: 0 }),
    choice('intervalType', enums.valuationInterval, { about: 'How far back; a year when omitted.' }),
  ],
});

export const getValuationPlateStockList = operation({
  ...ofCompany,
  name: 'get_valuation_plate_stock_list',
  reach: [
    { list: 'stockList', of: 'security', at: 'security', total: 'count', more: { field: 'nextKey', last: '-1' } },
    { list: 'plateList', of: 'security', at: 'security' },
  ],
  protoId: 3233,
  messages: messages.QotGetValuationPlateStockList,
  classes: {
    'Qot_GetValuationPlateStockList.C2S': {
      ...{ security: 'plate', filterSecurity: 'plate' },
      ...{ valuationType: 'none', nextKey: 'none', num: 'none', sortType: 'none', sortId: 'none' },
    },
  },
  title: 'Valuations in a plate or index',
  summary: 'The members of a plate or an index with their P/E, P/B or P/S, forward value, percentile and market value, sorted.',
  guide:
    'To find the cheap and the dear among peers; sort_id and sort_type choose which come first. Take plates from svc_list_plates. Of an index, filter_security keeps the members of one plate of plate_list.',
  shape: [
    symbol('security', { about: 'A plate or an index: HK.LIST1001, HK.800000.' }),
    choice('valuationType', enums.listedValuationType, { default: 1 }),
    nextKey,
    pageSize(50),
    choice('sortType', enums.sortType, { default: 2 }),
    choice('sortId', enums.valuationSort, { default: 51 }),
    symbol('filterSecurity', { as: 'filter_security', aliases: [], required: false, about: 'Of an index: only members of this plate.' }),
  ],
});
