import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE, type Decimal, divide, multiply } from '@svc-gateway/contract/decimal';
import { PriceContextSchema } from '@svc-gateway/contract/generated/svc/account_yield_pb';
import { inMoney } from '@svc-gateway/contract/money';
import { units } from '../../brokerage/order.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { priceAt } from '../../view/past-prices.js';
import type { Instrument } from '../../world/index.js';

/** A position that an account opens every year at the same time, and holds until the year ends. */
interface YearlyPosition {
  readonly id: bigint;
  readonly code: string;
  readonly side: 'buy' | 'sell';
  /** {@link LOT_SCALED} is one lot. */
  readonly volume: bigint;
  /** In the year, in UTC: "03-10 08:00:00". */
  readonly opens: string;
}

/** A leveraged forex account. Nobody can trade it: what it holds follows from the year and the prices of its pairs. */
interface ForexAccount {
  readonly brokerId: number;
  readonly id: bigint;
  readonly number: string;
  readonly group: string;
  readonly currency: 'USD';
  /** Its balance as a year begins. */
  readonly deposit: Decimal;
  readonly positions: readonly YearlyPosition[];
}

/** Scaled volume of one lot. */
export const LOT_SCALED = 100_000_000n;

const tenths = (lots: bigint): bigint => (lots * LOT_SCALED) / 10n;

const forexAccounts: readonly ForexAccount[] = [
  {
    brokerId: 1001,
    id: 281756482001001801n,
    number: '80031001',
    group: 'HK-LFX-STANDARD',
    currency: 'USD',
    deposit: units(50_000n),
    positions: [
      { id: 7_100_001n, code: 'EURUSD', side: 'buy', volume: tenths(8n), opens: '01-06 08:00:00' },
      { id: 7_100_002n, code: 'USDJPY', side: 'sell', volume: tenths(5n), opens: '03-10 02:00:00' },
      { id: 7_100_003n, code: 'EURHKD', side: 'buy', volume: tenths(2n), opens: '07-02 06:00:00' },
    ],
  },
  {
    brokerId: 1008,
    id: 281756482001008801n,
    number: '80081008',
    group: 'SG-LFX-STANDARD',
    currency: 'USD',
    deposit: units(30_000n),
    positions: [
      { id: 7_800_001n, code: 'GBPUSD', side: 'sell', volume: tenths(3n), opens: '02-03 09:00:00' },
      { id: 7_800_002n, code: 'USDSGD', side: 'buy', volume: tenths(4n), opens: '05-12 03:00:00' },
    ],
  },
];

const brokers: Readonly<Record<number, string>> = { 1001: 'Hong Kong', 1008: 'Singapore' };

/** The accounts at a broker. */
export function accountsAt(brokerId: number): readonly ForexAccount[] | Refusal {
  if (brokers[brokerId] === undefined) {
    const accepted = Object.entries(brokers).map(([id, name]) => `${id} (${name})`);
    return new Refusal(`broker_id ${brokerId} is not accepted; accepted: ${accepted.join(', ')}`, 'broker.value');
  }
  return forexAccounts.filter((account) => account.brokerId === brokerId);
}

/** The account of a request. */
export function accountOf({ brokerId, accountId }: { readonly brokerId: number; readonly accountId: bigint }): ForexAccount | Refusal {
  const accounts = accountsAt(brokerId);
  if (accounts instanceof Refusal) return accounts;
  const found = accounts.find(({ id }) => id === accountId);
  return (
    found ?? new Refusal(`broker ${brokerId} has no forex account ${accountId}; its accounts: ${accounts.map(({ id }) => id).join(', ')}`)
  );
}

type Named = Facts<'clock' | 'world' | 'market' | 'brokerage'>;

/** Units of the first currency in one lot. */
export const CONTRACT_SIZE: Decimal = units(100_000n);
/** Initial margin of leveraged forex trading in Hong Kong and Singapore, in percent. docs/simulator.md names the sources. */
const MARGIN_PERCENT = 5n;
/** The same, counted in 10^-8. */
export const MARGIN_RATE_SCALED = 5_000_000n;
/** Equity in percent of the used margin: below the first, money is asked for; below the second (maintenance of 3 % of the value), positions are closed. */
export const LEVELS = { marginCall: 100n, stopOut: 60n };

/** A position that is open now; its amounts are in the currency of the book. */
export interface OpenPosition {
  readonly id: bigint;
  readonly pair: Instrument;
  readonly side: 'buy' | 'sell';
  readonly volume: bigint;
  readonly openPrice: Decimal;
  /** Price at which the position could be closed now. */
  readonly price: Decimal;
  /** Epoch ms. */
  readonly openTime: number;
  readonly profit: Decimal;
  readonly margin: Decimal;
}

/** A forex account as it stands now; every amount in one currency. */
interface ForexBook {
  readonly balance: Decimal;
  readonly equity: Decimal;
  readonly profit: Decimal;
  readonly margin: Decimal;
  /** Below zero where the positions ask for more than there is. */
  readonly free: Decimal;
  readonly positions: readonly OpenPosition[];
}

const regularHours = create(PriceContextSchema);

/** Holdings of an account in the year that it is, in dollars: a pure function of the market's prices and the time. */
export function bookOf(facts: Named, account: ForexAccount): ForexBook {
  const now = facts.clock.now();
  const year = new Date(now).getUTCFullYear();
  const positions = account.positions.flatMap(({ id, code, side, volume, opens }): OpenPosition[] => {
    const openTime = Date.parse(`${year}-${opens.replace(' ', 'T')}Z`);
    if (openTime > now) return [];
    const pair = pairOf(facts, code);
    const openPrice = priceAt(facts, pair, openTime, regularHours);
    const price = closingPrice(facts, pair, side);
    const gain = side === 'buy' ? price - openPrice : openPrice - price;
    const profit = inDollars(facts, notionalOf(volume, gain), secondOf(pair));
    return [{ id, pair, side, volume, openPrice, price, openTime, profit, margin: marginOf(facts, pair, volume, price) }];
  });
  return totalled(account.deposit, positions);
}

/** Notional of a volume at a price, in the pair's second currency. */
export function notionalOf(volume: bigint, price: Decimal): Decimal {
  return (multiply(CONTRACT_SIZE, price) * volume) / LOT_SCALED;
}

/** Margin for a volume at a price, in dollars. */
export function marginOf(facts: Named, pair: Instrument, volume: bigint, price: Decimal): Decimal {
  return inDollars(facts, (notionalOf(volume, price) * MARGIN_PERCENT) / 100n, secondOf(pair));
}

function inDollars({ brokerage }: Named, amount: Decimal, currency: string): Decimal {
  return brokerage.valuer.rates.convert(amount, currency, 'USD');
}

/** A book in a currency, with its decimals: the positions are rounded, and what they come to follows from them. */
export function bookIn({ brokerage }: Named, book: ForexBook, currency: string): ForexBook {
  const shown = (amount: Decimal) => inMoney(brokerage.valuer.rates.convert(amount, 'USD', currency), currency);
  const positions = book.positions.map((one) => ({ ...one, profit: shown(one.profit), margin: shown(one.margin) }));
  return totalled(shown(book.balance), positions);
}

function totalled(balance: Decimal, positions: readonly OpenPosition[]): ForexBook {
  const profit = positions.reduce((sum, one) => sum + one.profit, 0n);
  const margin = positions.reduce((sum, one) => sum + one.margin, 0n);
  const equity = balance + profit;
  return { balance, equity, profit, margin, free: equity - margin, positions };
}

/** "USD" of EURUSD. */
function secondOf({ code }: Instrument): string {
  return code.slice(3);
}

/** Equity in percent of the margin used; undefined without positions. */
export function marginLevel({ equity, margin }: ForexBook): Decimal | undefined {
  return margin === 0n ? undefined : divide(equity, margin) * 100n;
}

/** 1 safe, 2 margin call, 3 stop-out. */
export function riskStatus(book: ForexBook): number {
  const level = marginLevel(book);
  if (level === undefined || level >= LEVELS.marginCall * DECIMAL_ONE) return 1;
  return level >= LEVELS.stopOut * DECIMAL_ONE ? 2 : 3;
}

function pairOf({ world }: Named, code: string): Instrument {
  const pair = world.instrument(`FX.${code}`);
  if (pair === undefined) throw new Error(`the world quotes no ${code}`);
  return pair;
}

/** Long positions close at the bid, short ones at the ask. */
function closingPrice({ market }: Named, pair: Instrument, side: 'buy' | 'sell'): Decimal {
  const { bids, asks } = market.book(pair, 1);
  return (side === 'buy' ? bids : asks)[0]?.price ?? market.quote(pair).last;
}
