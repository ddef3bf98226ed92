import { get, operation, post } from '../declare.js';
import { delayStatisticsType, qotPushStage, verificationOp, verificationType } from '../enums.js';
import * as messages from '../generated/messages.js';
import { anyOf, scopes } from '../scope.js';
import { choice, choices, constant, flag, id, integer, text, timestamp } from '../shape.js';

const common = { group: 'system', effect: 'read', scope: anyOf('qot:read'), reach: 'general' } as const;

export const getGlobalState = operation({
  ...common,
  name: 'get_global_state',
  protoId: 1002,
  messages: messages.GetGlobalState,
  title: 'Global state',
  summary: 'State of every market, of the logins, and the server time.',
  guide:
    'A first look at whether anything can be quoted or traded now. Market states are numbers of the public QotMarketState. Free. For the session of one symbol use svc_get_market_state.',
  shape: [constant('userID', 0n)],
  rest: [get('/api/global-state')],
});

export const ping = operation({
  ...common,
  name: 'ping',
  protoId: null,
  messages: messages.Ping,
  title: 'Ping',
  summary: 'Answers with the server time and what stands behind the gateway.',
  guide:
    'Always answered, free. Call it once to learn whether the brokerage is simulated (then no real money can move) and to compare clocks.',
  rest: [get('/api/ping')],
});

export const whoami = operation({
  ...common,
  name: 'whoami',
  // Whatever a key may do, it may ask what that is.
  scope: anyOf(...scopes),
  protoId: 20051,
  messages: messages.Whoami,
  title: 'Who am I',
  summary: 'Your key, its scopes and expiry, and what is used and left of each limit.',
  guide:
    'Ask before planning orders: it shows what you may trade, how much of the day’s value and of the rate is left, and when more is free. Free.',
  rest: [get('/api/whoami')],
});

export const getUserInfo = operation({
  ...common,
  name: 'get_user_info',
  protoId: 1005,
  messages: messages.GetUserInfo,
  title: 'User information',
  summary: 'The logged-in user: name, market-data rights and quotas.',
  guide:
    'Look here for the sizes of the subscription and history K-line quotas before a large download; svc_get_used_quota says how much of them is used. Free.',
  rest: [get('/api/user-info')],
});

export const getDelayStatistics = operation({
  ...common,
  name: 'get_delay_statistics',
  protoId: 1007,
  messages: messages.GetDelayStatistics,
  title: 'Delay statistics',
  summary: 'How long pushes, requests and orders took inside the gateway.',
  guide:
    'For diagnosing slowness only: milliseconds since the daemon started. Push stages other than CR2CS belong to servers that the gateway cannot see and come without data. Free.',
  shape: [
    choices('typeList', delayStatisticsType, { about: 'Which statistics; all when empty.' }),
    choice('qotPushStage', qotPushStage, { about: 'Which stage of a push to measure; the gateway itself measures CR2CS.' }),
  ],
  rest: [get('/api/delay-statistics'), post('/api/delay-statistics')],
});

export const getQuoteRights = operation({
  ...common,
  name: 'get_quote_rights',
  protoId: 20001,
  messages: messages.QuoteRights,
  title: 'Quote rights',
  summary: 'Market-data permission level per quote market.',
  guide:
    'Ask when quotes of a market are refused, delayed or shallow. Free; answered from memory unless refresh is true. svc_get_quote_capability says what each market can serve at all.',
  shape: [flag('refresh', { about: 'Ask the backend again instead of answering from memory.' })],
  rest: [get('/api/quote-rights')],
});

export const getQuoteCapability = operation({
  ...common,
  name: 'get_quote_capability',
  protoId: 20002,
  messages: messages.QuoteCapability,
  title: 'Quote capability',
  summary: 'Which subscription and K-line types each market serves, and the subscription quota.',
  guide:
    'Ask before svc_subscribe or svc_get_kline for a type that a market may lack (broker queues and odd lots are Hong Kong only). Also gives the deepest order book. Free.',
  rest: [get('/api/quote-capability')],
});

export const getPushSubscriberInfo = operation({
  ...common,
  name: 'get_push_subscriber_info',
  scope: anyOf('acc:read'),
  reach: [{ list: 'acc_id_list', of: 'account' }],
  beside: ['subscriber_list'],
  protoId: null,
  messages: messages.PushSubscriberInfo,
  title: 'Push subscribers',
  summary: 'Who is connected to the push stream, with backlogs and counts.',
  guide:
    'For operators: is a stream connected at all, and does it lag? To see which symbols are subscribed use svc_query_subscription. Free.',
  rest: [get('/api/push-subscriber-info')],
});

export const getUsedQuota = operation({
  ...common,
  name: 'get_used_quota',
  protoId: 1010,
  messages: messages.UsedQuota,
  title: 'Used quota',
  summary: 'Subscription and history K-line quota in use.',
  guide: 'Check it before subscribing to, or reading histories of, many symbols. The sizes of both quotas are in svc_get_user_info. Free.',
});

export const verification = operation({
  ...common,
  name: 'verification',
  effect: 'write',
  scope: anyOf('auth:setup'),
  protoId: 1006,
  messages: messages.Verification,
  title: 'Device verification',
  summary: 'Requests or answers the device verification code of a pending login.',
  shape: [
    choice('type', verificationType, { about: '1 picture, 2 phone.' }),
    choice('op', verificationOp, { about: '1 request a code, 2 enter it and go on with the login.' }),
    text('code', { maxBytes: 64, about: 'The code; required with op 2.' }),
  ],
  tool: null,
});

export const getTokenState = operation({
  ...common,
  name: 'get_token_state',
  scope: anyOf('acc:read'),
  protoId: 20003,
  messages: messages.TokenState,
  title: 'Token state',
  summary: 'Whether two-factor tokens are enabled and bound: 1 yes, 0 no.',
  guide:
    'Diagnoses a refused svc_unlock_trade: result -20011 asks for a two-factor token. The state is changed in the broker’s own app. Free.',
  shape: [id('acc_id', { about: 'The account; without it the user.' })],
  rest: [get('/api/token-state'), post('/api/token-state')],
});

export const getRiskFreeRate = operation({
  ...common,
  name: 'get_risk_free_rate',
  protoId: 20004,
  messages: messages.RiskFreeRate,
  title: 'Risk-free rates',
  summary: 'Risk-free rates of Hong Kong, the United States and Japan, in percent.',
  guide:
    'Input for option pricing and Sharpe ratios. Fields ending in _pct are percent, the raw ones 10^-9 of a percent. A future rate_time is refused. Free.',
  shape: [timestamp('rate_time', { about: 'Unix milliseconds; the latest when omitted.' })],
  rest: [get('/api/risk-free-rate'), post('/api/risk-free-rate')],
});

export const getSpreadTable = operation({
  ...common,
  name: 'get_spread_table',
  protoId: 20005,
  messages: messages.SpreadTable,
  title: 'Price steps',
  summary: 'Price steps of every spread code.',
  guide:
    'To round a limit price to a valid tick: take the step with price_from ≤ price < price_to (0 = no end). For one symbol svc_get_snapshot’s price_spread is enough. Free.',
  shape: [integer('reserved', { about: 'Unused placeholder.' })],
  rest: [get('/api/spread-table'), post('/api/spread-table')],
});
