import { operation, post } from '../declare.js';
import { tradeDateMarket } from '../enums.js';
import * as QotRequestTradeDate from '../generated/Qot_RequestTradeDate_pb.js';
import { anyOf } from '../scope.js';
import { choice, symbol, time } from '../shape.js';

const group = 'metadata';
const effect = 'read';
const scope = anyOf('qot:read');
const reach = 'request';

export const getTradingDays = operation({
  name: 'get_trading_days',
  group,
  effect,
  scope,
  reach,
  protoId: 3219,
  messages: QotRequestTradeDate,
  title: 'Trading days',
  summary: 'The days on which a market, or one symbol, trades between two dates, and which of them are half days.',
  guide:
    'To count or step over trading days instead of guessing holidays; up to ten years a call. trade_date_type: 0 whole day, 1 morning only, 2 afternoon only. No subscription, no quota.',
  shape: [
    choice('market', tradeDateMarket, {
      // The message cannot do without it, and passes it over where there is a security.
      default: 0,
      about: 'Whose days (not the quote market: US is 2 here); ignored if a symbol is given.',
    }),
    symbol('security', { required: false, about: 'Ask for the days of this security instead, as MARKET.CODE.' }),
    time('beginTime', { dateOnly: true, aliases: ['begin'], about: 'First day, inclusive: yyyy-MM-dd.' }),
    time('endTime', { dateOnly: true, aliases: ['end'], about: 'Last day, inclusive: yyyy-MM-dd.' }),
  ],
  needs: [{ oneOf: ['market', 'security'] }],
  rest: [post('/api/trading-days')],
});
