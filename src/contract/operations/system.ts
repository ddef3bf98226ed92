import { delayStatisticsType, qotPushStage } from '../enums.js';
import * as GetDelayStatistics from '../generated/GetDelayStatistics_pb.js';
import * as GetGlobalState from '../generated/GetGlobalState_pb.js';
import * as GetUserInfo from '../generated/GetUserInfo_pb.js';
import * as Ping from '../generated/svc/ping_pb.js';
import * as PushSubscriberInfo from '../generated/svc/push_subscriber_info_pb.js';
import * as QuoteCapability from '../generated/svc/quote_capability_pb.js';
import * as QuoteRights from '../generated/svc/quote_rights_pb.js';
import * as RiskFreeRate from '../generated/svc/risk_free_rate_pb.js';
import * as SpreadTable from '../generated/svc/spread_table_pb.js';
import * as TokenState from '../generated/svc/token_state_pb.js';
import * as UsedQuota from '../generated/UsedQuota_pb.js';
import * as Verification from '../generated/Verification_pb.js';
import { get, operation, post } from '../operation.js';
import { anyOf } from '../scope.js';
import { choice, choices, constant, flag, id, integer, text } from '../shape.js';

const group = 'system';
const effect = 'read';
const scope = anyOf('qot:read');

export const getGlobalState = operation({
  name: 'get_global_state',
  group,
  effect,
  scope,
  protoId: 1002,
  messages: GetGlobalState,
  summary: 'State of every market, of the logins, and the server time.',
  shape: [constant('userID', 0n)],
  rest: [get('/api/global-state')],
});

export const ping = operation({
  name: 'ping',
  group,
  effect,
  scope,
  protoId: null,
  messages: Ping,
  summary: 'Answers with the server time and what stands behind the gateway.',
  rest: [get('/api/ping')],
});

export const getUserInfo = operation({
  name: 'get_user_info',
  group,
  effect,
  scope,
  protoId: 1005,
  messages: GetUserInfo,
  summary: 'The logged-in user: name, market-data rights and quotas.',
  rest: [get('/api/user-info')],
});

export const getDelayStatistics = operation({
  name: 'get_delay_statistics',
  group,
  effect,
  scope,
  protoId: 1007,
  messages: GetDelayStatistics,
  summary: 'How long pushes, requests and orders took inside the gateway.',
  shape: [
    choices('typeList', delayStatisticsType, { about: 'Which statistics; all when empty.' }),
    choice('qotPushStage', qotPushStage, { about: 'Which stretch of a push is measured; the gateway itself measures CR2CS.' }),
  ],
  rest: [get('/api/delay-statistics'), post('/api/delay-statistics')],
});

export const getQuoteRights = operation({
  name: 'get_quote_rights',
  group,
  effect,
  scope,
  protoId: 20001,
  messages: QuoteRights,
  summary: 'Market-data permission level per quote market.',
  shape: [flag('refresh', { about: 'Ask the backend again instead of answering from memory.' })],
  rest: [get('/api/quote-rights')],
});

export const getQuoteCapability = operation({
  name: 'get_quote_capability',
  group,
  effect,
  scope,
  protoId: 20002,
  messages: QuoteCapability,
  summary: 'Which subscription and K-line types each market serves, and the subscription quota.',
  rest: [get('/api/quote-capability')],
});

export const getPushSubscriberInfo = operation({
  name: 'get_push_subscriber_info',
  group,
  effect,
  scope: anyOf('acc:read'),
  protoId: null,
  messages: PushSubscriberInfo,
  summary: 'Who is connected to the push stream, with backlogs and counts.',
  rest: [get('/api/push-subscriber-info')],
});

export const getUsedQuota = operation({
  name: 'get_used_quota',
  group,
  effect,
  scope,
  protoId: 1010,
  messages: UsedQuota,
  summary: 'Subscription and history K-line quota in use.',
  rest: [post('/api/used-quota')],
});

export const verification = operation({
  name: 'verification',
  group,
  effect: 'write',
  scope: anyOf('auth:setup'),
  protoId: 1006,
  messages: Verification,
  summary: 'Requests or answers the device verification code of a pending login.',
  shape: [
    integer('type', { min: 1, max: 2, about: '1 picture, 2 phone.' }),
    integer('op', { min: 1, max: 2, about: '1 request a code, 2 enter it and go on with the login.' }),
    text('code', { maxBytes: 64, about: 'The code; required with op 2.' }),
  ],
  rest: [post('/api/verification')],
  tool: null,
});

export const getTokenState = operation({
  name: 'get_token_state',
  group,
  effect,
  scope: anyOf('acc:read'),
  protoId: 20003,
  messages: TokenState,
  summary: 'Whether two-factor tokens are enabled and bound: 1 yes, 0 no.',
  shape: [id('acc_id', { about: 'The account; without it the user.' })],
  rest: [get('/api/token-state'), post('/api/token-state')],
});

export const getRiskFreeRate = operation({
  name: 'get_risk_free_rate',
  group,
  effect,
  scope,
  protoId: 20004,
  messages: RiskFreeRate,
  summary: 'Risk-free rates of Hong Kong, the United States and Japan, in percent.',
  shape: [id('rate_time', { about: 'Unix milliseconds; the latest when omitted.' })],
  rest: [get('/api/risk-free-rate'), post('/api/risk-free-rate')],
});

export const getSpreadTable = operation({
  name: 'get_spread_table',
  group,
  effect,
  scope,
  protoId: 20005,
  messages: SpreadTable,
  summary: 'Price steps of every spread code.',
  shape: [integer('reserved', { about: 'Placeholder without meaning.' })],
  rest: [get('/api/spread-table'), post('/api/spread-table')],
});
