import type { Currency } from '@svc-gateway/contract/markets';

/**
 * Display pairs. The instrument's currency is the pair's second one where accounts can hold it, else the market's own (USD).
 */
export interface ForexRow {
  readonly code: string;
  readonly name: string;
  readonly rate: number;
  readonly currency: Currency;
  /** Annualised, in percent. */
  readonly volatility: number;
}

export const forexPairs: readonly ForexRow[] = [
  { code: 'USDHKD', name: 'US Dollar / Hong Kong Dollar', rate: 7.7725, currency: 'HKD', volatility: 1 },
  { code: 'EURUSD', name: 'Euro / US Dollar', rate: 1.1621, currency: 'USD', volatility: 7 },
  { code: 'USDJPY', name: 'US Dollar / Japanese Yen', rate: 154.52, currency: 'JPY', volatility: 9 },
  { code: 'GBPUSD', name: 'British Pound / US Dollar', rate: 1.3172, currency: 'USD', volatility: 7.5 },
  { code: 'AUDUSD', name: 'Australian Dollar / US Dollar', rate: 0.6535, currency: 'USD', volatility: 9.5 },
  { code: 'NZDUSD', name: 'New Zealand Dollar / US Dollar', rate: 0.5681, currency: 'USD', volatility: 10 },
  { code: 'USDCNH', name: 'US Dollar / Offshore Renminbi', rate: 7.0982, currency: 'CNH', volatility: 4 },
  { code: 'USDSGD', name: 'US Dollar / Singapore Dollar', rate: 1.2987, currency: 'SGD', volatility: 5 },
  { code: 'USDMYR', name: 'US Dollar / Malaysian Ringgit', rate: 4.1325, currency: 'MYR', volatility: 5.5 },
  { code: 'USDCAD', name: 'US Dollar / Canadian Dollar', rate: 1.4022, currency: 'USD', volatility: 6 },
  { code: 'USDCHF', name: 'US Dollar / Swiss Franc', rate: 0.7943, currency: 'USD', volatility: 8 },
  { code: 'USDKRW', name: 'US Dollar / South Korean Won', rate: 1394.5, currency: 'USD', volatility: 8 },
  { code: 'EURJPY', name: 'Euro / Japanese Yen', rate: 179.56, currency: 'JPY', volatility: 8 },
  { code: 'GBPJPY', name: 'British Pound / Japanese Yen', rate: 203.54, currency: 'JPY', volatility: 9 },
  { code: 'AUDJPY', name: 'Australian Dollar / Japanese Yen', rate: 100.98, currency: 'JPY', volatility: 10 },
  { code: 'CNHJPY', name: 'Offshore Renminbi / Japanese Yen', rate: 21.769, currency: 'JPY', volatility: 9 },
  { code: 'CNHHKD', name: 'Offshore Renminbi / Hong Kong Dollar', rate: 1.095, currency: 'HKD', volatility: 4 },
  { code: 'EURHKD', name: 'Euro / Hong Kong Dollar', rate: 9.0324, currency: 'HKD', volatility: 7 },
  { code: 'GBPHKD', name: 'British Pound / Hong Kong Dollar', rate: 10.2379, currency: 'HKD', volatility: 7.5 },
];
