import { operation, post } from '../declare.js';
import { type FieldClasses, none } from '../field-classes.js';
import * as messages from '../generated/messages.js';
import { anyOf } from '../scope.js';
import { extensionVersion, flag, id, integer, text } from '../shape.js';
import { oneWordOf, priceText } from '../text-formats.js';

/** Currencies that a leveraged account is told in. */
const currencies = ['USD', 'HKD', 'CNH', 'SGD', 'JPY', 'KRW'] as const;
/** In billionths: above any price of a pair. */
const PRICE_MAX = 10_000_000n * 1_000_000_000n;

const common = {
  group: 'forex_account',
  effect: 'read',
  scope: anyOf('acc:read'),
  switches: ['--enable-v18-experimental-reads'],
} as const;

const broker = integer('broker_id', { required: true, about: '1001 Hong Kong, 1008 Singapore.' });
const account = id('account_id', { required: true, about: 'The long number of svc_get_forex_accounts.', brief: '' });

/** Field classes of a request that names a broker and the forex market. */
function classes(name: string, others: FieldClasses[string] = {}): FieldClasses {
  return { [`svc.${name}.C2S`]: { broker_id: 'forex_broker', extension_version: 'none', ...others } };
}

export const getForexAccounts = operation({
  ...common,
  name: 'get_forex_accounts',
  reach: [{ list: 'account_list', of: 'account', at: 'account_id' }],
  protoId: 20030,
  messages: messages.GetForexAccounts,
  classes: classes('get_forex_accounts'),
  title: 'Forex accounts',
  summary: 'The leveraged forex accounts at a broker.',
  guide:
    'Call it before the other forex account tools: they take the long account_id from here, with its broker_id. No order can be placed through them. Free.',
  shape: [broker, extensionVersion],
  rest: [post('/api/get-forex-accounts')],
});

export const getForexRiskControl = operation({
  ...common,
  name: 'get_forex_risk_control',
  reach: 'request',
  protoId: 20031,
  messages: messages.GetForexRiskControl,
  classes: classes('get_forex_risk_control', { account_id: 'account' }),
  title: 'Forex risk',
  summary: 'Equity, margin and margin level of a leveraged forex account.',
  guide:
    'Call svc_get_forex_accounts first. At the margin call level more money is asked for; at the stop-out level positions are closed. Free.',
  shape: [broker, account, extensionVersion],
  rest: [post('/api/get-forex-risk-control')],
});

export const getForexSymbolConfigs = operation({
  ...common,
  name: 'get_forex_symbol_configs',
  reach: [{ list: 'symbol_list', of: 'security', at: 'security' }],
  protoId: 20032,
  messages: messages.GetForexSymbolConfigs,
  classes: classes('get_forex_symbol_configs'),
  title: 'Forex terms',
  summary: 'Contract size, volumes and margin rate of each pair that a broker deals in.',
  guide:
    'Needs no account. Volumes are scaled: 100000000 is one lot. Take the stock_id from here before you call svc_preview_forex_margin. Free.',
  shape: [broker, extensionVersion],
  rest: [post('/api/get-forex-symbol-configs')],
});

export const getForexAccountQuoteContext = operation({
  ...common,
  name: 'get_forex_account_quote_context',
  reach: 'request',
  protoId: 20033,
  messages: messages.GetForexAccountQuoteContext,
  classes: classes('get_forex_account_quote_context', { account_id: 'account' }),
  title: 'Forex quote context',
  summary: 'Which group of quotes a leveraged forex account deals on, and whether dealing is open.',
  guide:
    'Call svc_get_forex_accounts first. The fields are the broker’s own, and each may be absent. Quotes themselves come from svc_get_quote. Free.',
  shape: [broker, account, extensionVersion],
  rest: [post('/api/get-forex-account-quote-context')],
});

const yes = (field: string, about: string) => flag(field, { about, brief: '' });

export const getForexAssets = operation({
  ...common,
  name: 'get_forex_assets',
  reach: [{ list: 'position_list', of: 'security', at: 'security' }],
  beside: ['broker_id', 'account_id', 'currency', 'balance', 'equity', 'floating_profit', 'used_margin', 'free_margin'],
  protoId: 20034,
  messages: messages.GetForexAssets,
  classes: {
    ...classes('get_forex_assets', {
      account_id: 'account',
      ...none('currency', 'exclude_zero_positions', 'use_option_combo', 'exclude_delisted'),
    }),
    'svc.get_forex_assets.QuoteOptions': { before: 'none', after: 'none', overnight: 'none' },
  },
  title: 'Forex assets',
  summary: 'Balance, equity and open positions of a leveraged forex account.',
  guide:
    'Call svc_get_forex_accounts first. All six booleans must be given. Amounts are exact text in the currency asked for; volumes count 100000000 for one lot. Free.',
  shape: [
    broker,
    account,
    text('currency', { required: true, maxBytes: 8, format: oneWordOf(currencies), about: 'USD, HKD, CNH, SGD, JPY or KRW.' }),
    yes('exclude_zero_positions', 'Leave out positions of no volume.'),
    yes('use_option_combo', 'Forex has no options.'),
    yes('exclude_delisted', 'Leave out pairs that are dealt in no more.'),
    yes('quote_options.before', 'Count quotes before regular hours.'),
    yes('quote_options.after', 'Count quotes after regular hours.'),
    yes('quote_options.overnight', 'Count overnight quotes.'),
    extensionVersion,
  ],
  rest: [post('/api/get-forex-assets')],
});

export const previewForexMargin = operation({
  ...common,
  name: 'preview_forex_margin',
  reach: [{ list: 'preview_list', of: 'security', at: 'security' }],
  beside: ['broker_id', 'account_id', 'currency'],
  protoId: 20035,
  messages: messages.PreviewForexMargin,
  classes: classes('preview_forex_margin', {
    account_id: 'account',
    // The answer says which pair it is, and is filtered by it.
    stock_id: 'none',
    volume_scaled: 'none',
    price_buy: 'none',
    price_sell: 'none',
  }),
  needs: [{ oneOf: ['price_buy', 'price_sell'] }],
  title: 'Forex margin preview',
  summary: 'What margin a forex position would ask for. Places nothing.',
  guide:
    'Call svc_get_forex_symbol_configs first for stock_id. volume_scaled counts 100000000 for one lot. Give price_buy, price_sell or both as decimal text. Free.',
  shape: [
    broker,
    account,
    id('stock_id', { required: true, about: 'The pair by its number.' }),
    id('volume_scaled', { required: true, about: '100000000 is one lot; 0 is valid.' }),
    text('price_buy', { maxBytes: 32, format: priceText(PRICE_MAX), about: 'Decimal text.' }),
    text('price_sell', { maxBytes: 32, format: priceText(PRICE_MAX), about: 'Decimal text.' }),
    extensionVersion,
  ],
});
