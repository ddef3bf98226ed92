import type { Decimal } from '@svc-gateway/contract/decimal';
import { units } from '../../brokerage/order.js';
import { Refusal } from '../../refusal.js';

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
export interface ForexAccount {
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
