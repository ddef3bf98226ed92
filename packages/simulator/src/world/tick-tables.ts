import { exact } from './exact.js';
import type { TickTable } from './instrument.js';

/** A table from its steps: "0.001 below 0.25, 0.005 below 0.5, 0.01". */
function tickTable(name: string, steps: string): TickTable {
  return {
    name,
    steps: steps.split(', ').map((step) => {
      const [tick = 0n, below] = step.split(' below ').map((number) => exact(Number(number)));
      return below === undefined ? { tick } : { tick, below };
    }),
  };
}

/** A table of one step: `tick` at every price. */
export function flatTickTable(name: string, tick: number): TickTable {
  return { name, steps: [{ tick: exact(tick) }] };
}

/**
 * The exchanges' own tables. A step's `below` is a multiple of the ticks on both of its sides, so that the bound of two
 * bands lies on both grids (tested); where an exchange words a bound as "up to and including", that makes no difference.
 */
export const tickTables = {
  /**
   * HKEX equities and REITs: Rules of the Exchange, Second Schedule, Part A, after phase 1 of the reduction of minimum
   * spreads (4 August 2025: 0.01 from 10 to 20 dollars, 0.02 from 20 to 50). Phase 2, 0.005 from 0.50 to 10 dollars, was
   * announced for mid-2026 without a date that could be confirmed, and is left out: its grid contains this one.
   */
  hkEquity: tickTable(
    'HK-equity',
    '0.001 below 0.25, 0.005 below 0.5, 0.01 below 20, 0.02 below 50, 0.05 below 100, 0.1 below 200, 0.2 below 500, 0.5 below 1000, 1 below 2000, 2 below 5000, 5',
  ),
  /** HKEX exchange traded products: Part D, since June 2020. */
  hkEtf: tickTable(
    'HK-etf',
    '0.001 below 1, 0.002 below 5, 0.005 below 10, 0.01 below 20, 0.02 below 100, 0.05 below 200, 0.1 below 500, 0.2 below 1000, 0.5 below 2000, 1',
  ),
  /** US national market system: Regulation NMS rule 612, a cent, and a hundredth of a cent below one dollar. */
  us: tickTable('US', '0.0001 below 1, 0.01'),
  cnEquity: tickTable('CN-equity', '0.01'),
  cnEtf: tickTable('CN-etf', '0.001'),
  /** SGX-ST stocks, REITs and business trusts: Regulatory Notice 8.3.1. */
  sg: tickTable('SG', '0.001 below 0.2, 0.005 below 1, 0.01'),
  /** TSE: constituents of TOPIX 500, since June 2023; the world lists no others. ETFs trade by it too. */
  jpTopix500: tickTable(
    'JP-topix500',
    '0.1 below 1000, 0.5 below 3000, 1 below 10000, 5 below 30000, 10 below 100000, 50 below 300000, 100 below 1000000, 500 below 3000000, 1000',
  ),
  /** Bursa Malaysia Securities: Participating Organisations' Trading Manual. */
  my: tickTable('MY', '0.005 below 1, 0.01 below 10, 0.02 below 100, 0.1'),
  /** OCC: a cent for options of the penny program, into which most classes of the world fall. */
  usOption: tickTable('US-option', '0.01'),
  hkStockOption: tickTable('HK-stock-option', '0.01'),
  hkIndexOption: tickTable('HK-index-option', '1'),
  index: tickTable('index', '0.01'),
  fx: tickTable('FX', '0.00001'),
  fxJpy: tickTable('FX-jpy', '0.001'),
} as const;
