import { create } from '@bufbuild/protobuf';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type ForexPosition,
  ForexPositionSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/get_forex_assets_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { accountOf } from './accounts.js';
import { bookIn, bookOf, type OpenPosition } from './book.js';

type Named = Facts<'clock' | 'world' | 'market' | 'brokerage' | 'listings'>;

/** Currencies that assets are shown in. */
const CURRENCIES = ['USD', 'HKD', 'CNH', 'SGD', 'JPY', 'KRW'];

/** svc.get_forex_assets: what an account has, in a currency. Its positions are never of no volume, and its pairs are never delisted. */
export const getForexAssets: Answer<'clock' | 'world' | 'market' | 'brokerage' | 'listings', C2S, S2C> = (facts, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const { currency } = request;
  if (!CURRENCIES.includes(currency)) {
    return new Refusal(`currency ${quoted(currency)} is not accepted; accepted: ${CURRENCIES.join(', ')}`, 'broker.value');
  }
  const book = bookIn(facts, bookOf(facts, account), currency);
  return create(S2CSchema, {
    brokerId: account.brokerId,
    accountId: account.id,
    currency,
    balance: formatDecimal(book.balance),
    equity: formatDecimal(book.equity),
    floatingProfit: formatDecimal(book.profit),
    usedMargin: formatDecimal(book.margin),
    freeMargin: formatDecimal(book.free),
    positionList: book.positions.map((position) => positionOf(facts, position)),
  });
};

function positionOf({ listings }: Named, position: OpenPosition): ForexPosition {
  const { id, pair, side, volume, openPrice, price, openTime, profit, margin } = position;
  return create(ForexPositionSchema, {
    positionId: id,
    security: listings.of(pair).security,
    stockId: pair.id,
    side: side === 'buy' ? 1 : 2,
    volumeScaled: volume,
    openPrice: formatDecimal(openPrice),
    currentPrice: formatDecimal(price),
    profit: formatDecimal(profit),
    usedMargin: formatDecimal(margin),
    openTime: BigInt(openTime),
  });
}
