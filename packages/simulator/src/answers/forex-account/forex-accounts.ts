import { type Decimal, formatDecimal, parseDecimal } from '@svc-gateway/contract/decimal';
import type { MarginPreview } from '@svc-gateway/contract/generated/svc/preview_forex_margin_pb';
import type { forexAccount as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Fields } from '../../view/messages.js';
import { tickSize } from '../../world/index.js';
import type { AnswerTo } from '../table.js';
import {
  accountOf,
  accountsAt,
  bookIn,
  bookOf,
  CONTRACT_SIZE,
  LEVELS,
  LOT_SCALED,
  MARGIN_RATE_SCALED,
  marginLevel,
  marginOf,
  notionalOf,
  type OpenPosition,
  riskStatus,
} from './book.js';

const OPEN = 1;

/** svc.get_forex_accounts: the accounts at a broker. */
export const getForexAccounts: AnswerTo<typeof declared.getForexAccounts> = (_, { brokerId }) => {
  const accounts = accountsAt(brokerId);
  if (accounts instanceof Refusal) return accounts;
  const accountList = accounts.map(({ id, number, currency }) => ({
    brokerId,
    accountId: id,
    accountNumber: number,
    currency,
    status: OPEN,
  }));
  return { accountList };
};

const CLOSED = 2;

/** svc.get_forex_account_quote_context: which quotes an account deals on, and whether dealing is open. */
export const getForexAccountQuoteContext: AnswerTo<typeof declared.getForexAccountQuoteContext> = ({ clock, world }, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const isOpen = world.calendar('FX').sessionAt(clock.now()) !== undefined;
  return { retcode: 0, groupName: account.group, systemMode: isOpen ? OPEN : CLOSED };
};

const VOLUMES = { volumeMinScaled: LOT_SCALED / 100n, volumeMaxScaled: LOT_SCALED * 50n, volumeStepScaled: LOT_SCALED / 100n };

/** svc.get_forex_symbol_configs: the terms of every pair, in the order of the world. */
export const getForexSymbolConfigs: AnswerTo<typeof declared.getForexSymbolConfigs> = ({ world, listings }, { brokerId }) => {
  const accounts = accountsAt(brokerId);
  if (accounts instanceof Refusal) return accounts;
  const symbolList = world.listed({ market: 'FX' }).map((pair) => ({
    stockId: pair.id,
    security: listings.of(pair).security,
    digits: (formatDecimal(tickSize(pair.tickTable, pair.referencePrice)).split('.')[1] ?? '').length,
    contractSize: formatDecimal(CONTRACT_SIZE),
    ...VOLUMES,
    marginRateScaled: MARGIN_RATE_SCALED,
  }));
  return { symbolList };
};

type Named = Facts<'clock' | 'world' | 'market' | 'brokerage' | 'listings'>;

/** Currencies that assets are shown in. */
const CURRENCIES = ['USD', 'HKD', 'CNH', 'SGD', 'JPY', 'KRW'];

/** svc.get_forex_assets: what an account has, in a currency. Its positions are never of no volume, and its pairs are never delisted. */
export const getForexAssets: AnswerTo<typeof declared.getForexAssets> = (facts, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const { currency } = request;
  if (!CURRENCIES.includes(currency)) {
    return new Refusal(`currency ${quoted(currency)} is not accepted; accepted: ${CURRENCIES.join(', ')}`, 'broker.value');
  }
  const book = bookIn(facts, bookOf(facts, account), currency);
  return {
    brokerId: account.brokerId,
    accountId: account.id,
    currency,
    balance: formatDecimal(book.balance),
    equity: formatDecimal(book.equity),
    floatingProfit: formatDecimal(book.profit),
    usedMargin: formatDecimal(book.margin),
    freeMargin: formatDecimal(book.free),
    positionList: book.positions.map((position) => positionOf(facts, position)),
  };
};

function positionOf({ listings }: Named, position: OpenPosition) {
  const { id, pair, side, volume, openPrice, price, openTime, profit, margin } = position;
  return {
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
  };
}

/** svc.get_forex_risk_control: how far an account's equity reaches. */
export const getForexRiskControl: AnswerTo<typeof declared.getForexRiskControl> = (facts, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const book = bookIn(facts, bookOf(facts, account), account.currency);
  const level = marginLevel(book);
  return {
    brokerId: account.brokerId,
    accountId: account.id,
    currency: account.currency,
    equity: formatDecimal(book.equity),
    usedMargin: formatDecimal(book.margin),
    freeMargin: formatDecimal(book.free),
    marginLevel: level === undefined ? undefined : formatDecimal(level),
    marginCallLevel: LEVELS.marginCall.toString(),
    stopOutLevel: LEVELS.stopOut.toString(),
    riskStatus: riskStatus(book),
  };
};

/** Above any price of a pair. */
const PRICE_MAX: Decimal = 10_000_000n * 1_000_000_000n;

/** svc.preview_forex_margin: what a position would ask for, on each side that a price is given for. Nothing changes by it. */
export const previewForexMargin: AnswerTo<typeof declared.previewForexMargin> = (facts, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const { stockId, volumeScaled: volume } = request;
  const pair = facts.world.listed({ market: 'FX' }).find(({ id }) => id === stockId);
  if (pair === undefined) return new Refusal(`stock_id ${stockId} is no pair that broker ${account.brokerId} deals in`);
  const { free } = bookOf(facts, account);
  const previewList: Fields<MarginPreview>[] = [];
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
    previewList.push({
      security: facts.listings.of(pair).security,
      stockId,
      side,
      volumeScaled: volume,
      price: formatDecimal(price),
      notional: formatDecimal(notionalOf(volume, price)),
      requiredMargin: formatDecimal(required),
      freeMarginAfter: formatDecimal(free - required),
      enough: required <= free,
    });
  }
  if (previewList.length === 0) return missing(['price_buy'], 'one of price_buy, price_sell is required');
  return { brokerId: account.brokerId, accountId: account.id, currency: account.currency, previewList };
};
