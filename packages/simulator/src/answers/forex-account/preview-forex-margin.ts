import { create } from '@bufbuild/protobuf';
import { type Decimal, formatDecimal, parseDecimal } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type MarginPreview,
  MarginPreviewSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/preview_forex_margin_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { accountOf } from './accounts.js';
import { bookOf, marginOf, notionalOf } from './book.js';

/** Above any price of a pair. */
const PRICE_MAX: Decimal = 10_000_000n * 1_000_000_000n;

/** svc.preview_forex_margin: what a position would ask for, on each side that a price is given for. Nothing changes by it. */
export const previewForexMargin: Answer<'clock' | 'world' | 'market' | 'brokerage' | 'listings', C2S, S2C> = (facts, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const { stockId, volumeScaled: volume } = request;
  const pair = facts.world.listed({ market: 'FX' }).find(({ id }) => id === stockId);
  if (pair === undefined) return new Refusal(`stock_id ${stockId} is no pair that broker ${account.brokerId} deals in`);
  const { free } = bookOf(facts, account);
  const previewList: MarginPreview[] = [];
  for (const [side, name, text] of [
    [1, 'price_buy', request.priceBuy],
    [2, 'price_sell', request.priceSell],
  ] as const) {
    if (text === '') continue;
    const price = parseDecimal(text);
    if (price === undefined || price <= 0n || price > PRICE_MAX) {
      return new Refusal(
        `${name} ${quoted(text)}: expected a decimal above 0, at most ${formatDecimal(PRICE_MAX)}, with at most nine places`,
        'broker.value',
      );
    }
    const required = marginOf(facts, pair, volume, price);
    const figures = { notional: notionalOf(volume, price), requiredMargin: required, freeMarginAfter: free - required };
    previewList.push(
      create(MarginPreviewSchema, {
        security: facts.listings.of(pair).security,
        stockId,
        side,
        volumeScaled: volume,
        price: formatDecimal(price),
        notional: formatDecimal(figures.notional),
        requiredMargin: formatDecimal(figures.requiredMargin),
        freeMarginAfter: formatDecimal(figures.freeMarginAfter),
        enough: required <= free,
      }),
    );
  }
  if (previewList.length === 0) return missing(['price_buy'], 'one of price_buy, price_sell is required');
  return create(S2CSchema, { brokerId: account.brokerId, accountId: account.id, currency: account.currency, previewList });
};
