import type { Currency, QuoteMarket } from '@svc-gateway/contract/markets';
import type { CalendarName } from './calendar.js';
import { Exchange } from './exchange.js';
import type { TickTable } from './instrument.js';
import { tickTables } from './tick-tables.js';

/** Where made-up companies are listed: what is the same for all that are. */
export interface Venue {
  readonly market: QuoteMarket;
  readonly calendar: CalendarName;
  /** Qot_Common.ExchType. */
  readonly exchange: number;
  readonly currency: Currency;
  readonly tickTable: TickTable;
}

const mainland = { calendar: 'CN', currency: 'CNH', tickTable: tickTables.cnEquity } as const;

/** By markets. */
export const venues = {
  HK: { market: 'HK', calendar: 'HK', exchange: Exchange.hkMainBoard, currency: 'HKD', tickTable: tickTables.hkEquity },
  US: { market: 'US', calendar: 'US', exchange: Exchange.nasdaq, currency: 'USD', tickTable: tickTables.us },
  SH: { market: 'SH', exchange: Exchange.shanghai, ...mainland },
  SZ: { market: 'SZ', exchange: Exchange.shenzhen, ...mainland },
  SG: { market: 'SG', calendar: 'SG', exchange: Exchange.singapore, currency: 'SGD', tickTable: tickTables.sg },
  JP: { market: 'JP', calendar: 'JP', exchange: Exchange.tokyo, currency: 'JPY', tickTable: tickTables.jpTopix500 },
  MY: { market: 'MY', calendar: 'MY', exchange: Exchange.bursaMalaysia, currency: 'MYR', tickTable: tickTables.my },
} as const satisfies Partial<Record<QuoteMarket, Venue>>;
