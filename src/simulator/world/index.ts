import type { QuoteMarket } from '../../contract/markets.js';
import type { Calendar, CalendarMode } from './calendar.js';
import { createCalendar } from './calendars.js';
import { catalogue } from './catalogue.js';
import { futures } from './futures.js';
import { GENERATED_INSTRUMENTS_MAX, generatedInstruments } from './generated.js';
import type { CalendarName, Instrument, SecurityKind } from './instrument.js';

export type { Calendar, CalendarMode, TradingDate, TradingSession } from './calendar.js';
export { GENERATED_INSTRUMENTS_MAX } from './generated.js';
export type { CalendarName, FutureTerms, Instrument, SecurityKind, TickTable } from './instrument.js';
export { isOnTick, nextPrice, roundToTick, tickSize } from './ticks.js';

export interface WorldOptions {
  readonly calendarMode: CalendarMode;
  /** How many made-up equities to add to the real ones, up to {@link GENERATED_INSTRUMENTS_MAX}. */
  readonly generatedInstruments: number;
  /** What the made-up ones are drawn from. */
  readonly seed: string | number;
}

/** What can be quoted and traded in the simulation, and when. Static: the same options give the same world. */
export interface World {
  /** By canonical symbol, "HK.00700"; letters in either case. */
  instrument(symbol: string): Instrument | undefined;
  instrumentById(id: bigint): Instrument | undefined;
  /** In a stable order: real ones by market and kind, then generated ones. */
  instruments(filter?: { readonly market?: QuoteMarket; readonly kind?: SecurityKind }): readonly Instrument[];
  calendar(of: Instrument | CalendarName): Calendar;
}

/** Throws RangeError when `generatedInstruments` is no whole number from 0 to {@link GENERATED_INSTRUMENTS_MAX}. */
export function createWorld(options: WorldOptions): World {
  const { calendarMode, generatedInstruments: count, seed } = options;
  if (!Number.isInteger(count) || count < 0 || count > GENERATED_INSTRUMENTS_MAX) {
    throw new RangeError(`generatedInstruments: ${count} is no whole number from 0 to ${GENERATED_INSTRUMENTS_MAX}`);
  }
  const all = [...catalogue(), ...futures(), ...generatedInstruments(count, seed)];
  const bySymbol = new Map(all.map((instrument) => [instrument.symbol.toUpperCase(), instrument]));
  const byId = new Map(all.map((instrument) => [instrument.id, instrument]));
  const calendars = new Map<CalendarName, Calendar>();

  return {
    instrument: (symbol) => bySymbol.get(symbol.toUpperCase()),
    instrumentById: (id) => byId.get(id),
    instruments: ({ market, kind } = {}) =>
      market === undefined && kind === undefined
        ? all
        : all.filter((one) => (market === undefined || one.market === market) && (kind === undefined || one.kind === kind)),
    calendar(of) {
      const name = typeof of === 'string' ? of : of.calendar;
      let calendar = calendars.get(name);
      if (calendar === undefined) {
        calendar = createCalendar(name, calendarMode);
        calendars.set(name, calendar);
      }
      return calendar;
    },
  };
}
