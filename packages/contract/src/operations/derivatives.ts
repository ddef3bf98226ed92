import { operation } from '../declare.js';
import * as enums from '../enums.js';
import { none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { anyOf } from '../scope.js';
import { choice, choices, flag, id, integer, number, type Param, symbol, symbols, time } from '../shape.js';

const common = { group: 'derivatives', effect: 'read', scope: anyOf('qot:read') } as const;

const ownerAliases = ['owner', 'symbol', 'code', 'stock', 'security'];
const owner = (about: string) => symbol('owner', { as: 'owner_symbol', aliases: ownerAliases, about });

export const getReference = operation({
  ...common,
  name: 'get_reference',
  // Warrants and contracts that the request does not name.
  reach: [{ list: 'staticInfoList', of: 'security', at: 'basic.security' }],
  protoId: 3206,
  messages: messages.QotGetReference,
  classes: { 'Qot_GetReference.C2S': { security: 'security', referenceType: 'none' } },
  title: 'Related securities',
  summary: 'The warrants on a security, or the contracts of a future.',
  guide:
    'warrant: every Hong Kong warrant and bull/bear contract on a stock or index, which can be hundreds; svc_get_warrant filters and sorts them. future: the dated contracts behind a continuous one such as HK.HSImain. Options: svc_get_option_chain.',
  shape: [
    symbol('security'),
    choice('referenceType', enums.referenceType, { default: 1, about: 'What is wanted; for options use the option chain.' }),
  ],
});

/** A pair of bounds that a request may set, both of them, one or none. */
function bounds(
  field: string,
  least: string,
  most: string,
  about: string,
  aliases: readonly [string, string] = [`min_${field}`, `max_${field}`],
): Param[] {
  return [
    number(least, { as: `${field}_min`, aliases: [aliases[0]], ...(about === '' ? {} : { about: `Least ${about}.` }) }),
    number(most, { as: `${field}_max`, aliases: [aliases[1]] }),
  ];
}

const greeks: readonly (readonly [name: string, field: string, about: string])[] = [
  ['iv', 'impliedVolatility', 'implied volatility, in percent'],
  ['delta', 'delta', ''],
  ['gamma', 'gamma', ''],
  ['vega', 'vega', ''],
  ['theta', 'theta', 'theta, a day'],
  ['rho', 'rho', ''],
  ['net_oi', 'netOpenInterest', 'net open interest (Hong Kong)'],
  ['oi', 'openInterest', 'open interest'],
  ['volume', 'vol', ''],
];
const chainBounds = greeks.map(([name, field, about]) => ({
  name,
  about,
  pair: [`dataFilter.${field}Min`, `dataFilter.${field}Max`] as const,
}));

export const getOptionChain = operation({
  ...common,
  name: 'get_option_chain',
  // Options that the request does not name.
  reach: [
    { list: 'optionChain.option.call', of: 'security', at: 'basic.security' },
    { list: 'optionChain.option.put', of: 'security', at: 'basic.security' },
  ],
  protoId: 3209,
  messages: messages.QotGetOptionChain,
  classes: {
    'Qot_GetOptionChain.C2S': { owner: 'security', ...none('indexOptionType', 'type', 'condition', 'beginTime', 'endTime') },
    'Qot_GetOptionChain.DataFilter': {
      ...Object.fromEntries(
        greeks.flatMap(([, field]) => [
          [`${field}Min`, 'none' as const],
          [`${field}Max`, 'none' as const],
        ]),
      ),
    },
  },
  title: 'Option chain',
  summary: 'The options on a stock or index that expire between two days, by expiry and strike.',
  guide:
    'Call svc_get_option_expiration_date first and pass one expiry as both begin_time and end_time; at most 31 days. It lists contracts, without prices: quote them with svc_get_snapshot. Filters narrow it, e.g. delta_min and delta_max.',
  shape: [
    owner('What the options are on: a US or Hong Kong stock or fund, or an index, as MARKET.CODE.'),
    time('beginTime', { dateOnly: true, aliases: ['begin', 'start'], about: 'First expiry, inclusive: yyyy-MM-dd.' }),
    time('endTime', { dateOnly: true, aliases: ['end'], about: 'Last expiry, inclusive: yyyy-MM-dd.' }),
    choice('type', enums.optionType, { as: 'option_type', about: 'Calls, puts or both (default).' }),
    choice('condition', enums.optionCondition, { aliases: ['option_cond_type'], about: 'In or out of the money.' }),
    choice('indexOptionType', enums.indexOptionType, { about: 'Of an index, its normal (default) or small contracts.' }),
    ...chainBounds.flatMap(({ name, about, pair }) => bounds(name, ...pair, about)),
  ],
});

export const getOptionExpirationDate = operation({
  ...common,
  name: 'get_option_expiration_date',
  reach: 'request',
  protoId: 3224,
  messages: messages.QotGetOptionExpirationDate,
  classes: { 'Qot_GetOptionExpirationDate.C2S': { owner: 'security', indexOptionType: 'none' } },
  title: 'Option expiration dates',
  summary: 'The days on which options on a stock or index expire.',
  guide:
    'Call it before svc_get_option_chain, which takes one of these days as both begin_time and end_time. cycle: 1 week, 2 month, 11 to 15 Monday to Friday. No quota.',
  shape: [
    owner('What the options are on, as MARKET.CODE.'),
    choice('indexOptionType', enums.indexOptionType, { about: 'Of an index, its normal (default) or small contracts.' }),
  ],
});

export const getFutureInfo = operation({
  ...common,
  name: 'get_future_info',
  reach: 'request',
  protoId: 3218,
  messages: messages.QotGetFutureInfo,
  classes: { 'Qot_GetFutureInfo.C2S': { securityList: 'security' } },
  title: 'Futures contract terms',
  summary: 'Terms of futures: size, tick, last trading day, sessions.',
  guide: 'Read contract size, tick and expiry here before an order. trade_time is in minutes from midnight; above 1440 is the next day.',
  shape: [symbols('securityList', { max: 200 })],
});

const LEGS = 'Each leg: security {market, code}, side (1 buy, 2 sell) and qty_ratio.';

export const getOptionQuote = operation({
  ...common,
  name: 'get_option_quote',
  reach: 'request',
  protoId: 3255,
  messages: messages.QotGetOptionQuote,
  title: 'Option quote',
  summary: 'Price, Greeks, implied volatility and analysis of an option, or of a combination of legs as one.',
  guide: `${LEGS} One leg: that option. Several: their sum, by side and ratio.`,
  needs: [{ oneOf: ['multi_legs'] }],
});

export const getOptionStrategy = operation({
  ...common,
  name: 'get_option_strategy',
  reach: [{ list: 'strategyList', of: 'security', at: 'multi_legs.security' }],
  protoId: 3256,
  messages: messages.QotGetOptionStrategy,
  classes: {
    'Qot_GetOptionStrategy.C2S': {
      owner: 'security',
      ...none('option_strategy', 'expire_time', 'far_expire_time', 'spread', 'option_type', 'strike_price'),
      ...none('index_option_type'),
    },
  },
  title: 'Option strategies',
  summary: 'The combinations of listed options that make up a strategy: spreads, straddles, butterflies, condors and more.',
  guide:
    'Name an expiry, and a spread or strike where there are too many. Pass the legs of one on to svc_get_option_strategy_analysis or svc_get_option_quote.',
  shape: [
    owner('What the options are on, as MARKET.CODE.'),
    choice('option_strategy', enums.optionStrategy, { aliases: ['strategy'] }),
    time('expire_time', { dateOnly: true, about: 'Expiry (of the near legs): yyyy-MM-dd. All when omitted.' }),
    time('far_expire_time', { dateOnly: true, about: 'Expiry of the far legs of calendar and diagonal spreads.' }),
    number('spread', { above: 0, about: 'Distance of neighbouring strikes.' }),
    choice('option_type', enums.optionType, { about: 'Of calls, of puts or both (default).' }),
    number('strike_price', { above: 0, about: 'Only combinations with this strike.' }),
    choice('index_option_type', enums.indexOptionType, { about: 'Of an index, its normal (default) or small contracts.' }),
  ],
});

export const getOptionStrategyAnalysis = operation({
  ...common,
  name: 'get_option_strategy_analysis',
  reach: 'request',
  protoId: 3257,
  messages: messages.QotGetOptionStrategyAnalysis,
  title: 'Option strategy analysis',
  summary: 'Most profit and loss, break-even prices, probability of profit and Greeks of a combination of options.',
  guide: `${LEGS} Shares may be a leg, with their number as ratio. Profit without bound is 9999999.`,
  needs: [{ oneOf: ['multi_legs'] }],
});

const warrantBounds: readonly (readonly [name: string, field: string, about: string])[] = [
  ['cur_price', 'curPrice', ''],
  ['strike_price', 'strikePrice', ''],
  ['street', 'street', 'percentage held by the public'],
  ['conversion', 'conversion', 'ratio'],
  ['premium', 'premium', 'premium, in percent'],
  ['leverage_ratio', 'leverageRatio', ''],
  ['delta', 'delta', ''],
  ['implied', 'implied', 'implied volatility, in percent'],
  ['recovery_price', 'recoveryPrice', 'call price'],
  ['price_recovery_ratio', 'priceRecoveryRatio', 'distance from the call price, in percent'],
];

export const getWarrant = operation({
  ...common,
  name: 'get_warrant',
  reach: [{ list: 'warrantDataList', of: 'security', at: 'stock', total: 'allCount', more: { field: 'lastPage', last: true } }],
  protoId: 3210,
  messages: messages.QotGetWarrant,
  classes: {
    'Qot_GetWarrant.C2S': {
      owner: 'security',
      ...Object.fromEntries(
        [
          ...[
            'begin',
            'num',
            'sortField',
            'ascend',
            'typeList',
            'issuerList',
            'maturityTimeMin',
            'maturityTimeMax',
            'ipoPeriod',
            'priceType',
            'status',
          ],
          ...['volMin', 'volMax', ...warrantBounds.flatMap(([, field]) => [`${field}Min`, `${field}Max`])],
        ].map((field) => [field, 'none' as const]),
      ),
    },
  },
  title: 'Warrants',
  summary: 'Hong Kong warrants, bull/bear contracts and inline warrants, filtered and sorted.',
  guide:
    'Name owner_symbol unless you want the whole market, which is slower. Pages by begin and num; all_count is the number of matches. Filters that only some types have leave the others out.',
  shape: [
    symbol('owner', {
      as: 'owner_symbol',
      aliases: ownerAliases,
      required: false,
      about: 'Only those on this stock or index, as MARKET.CODE.',
    }),
    integer('begin', { default: 0, min: 0, about: 'Rows to skip.' }),
    integer('num', { default: 20, min: 0, max: 200, about: 'Rows of one page.' }),
    // Long lists of names: a model that needs them gives the message.
    choice('sortField', enums.warrantSort, { default: 1, only: 'rest', about: 'Sorted by.' }),
    flag('ascend', { default: true, about: 'Lowest first.' }),
    choices('typeList', enums.warrantType),
    choices('issuerList', enums.warrantIssuer, { only: 'rest' }),
    time('maturityTimeMin', { dateOnly: true, about: 'First maturity: yyyy-MM-dd.' }),
    time('maturityTimeMax', { dateOnly: true, about: 'Last maturity: yyyy-MM-dd.' }),
    choice('ipoPeriod', enums.ipoPeriod, { about: 'When they are listed.' }),
    choice('priceType', enums.priceType, { about: 'In or out of the money.' }),
    choice('status', enums.warrantStatus),
    id('volMin', { about: 'Least volume.' }),
    id('volMax', { about: 'Most volume.' }),
    ...warrantBounds.flatMap(([name, field, about]) => bounds(name, `${field}Min`, `${field}Max`, about)),
  ],
});
