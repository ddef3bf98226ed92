import { dayOfNumber } from '@svc-gateway/contract/time';

/**
 * Fiscal quarters of one company, numbered without end: quarter `q` ends with month `3q + offset`, counted from January of the
 * year 0. A fiscal year carries the number of the calendar year in which it ends.
 */
export class FiscalCalendar {
  readonly #offset: number;
  readonly #yearEnd: number;

  /** `yearEndMonth`: 1 January … 12 December. */
  constructor(readonly yearEndMonth: number) {
    this.#yearEnd = yearEndMonth - 1;
    this.#offset = this.#yearEnd % 3;
  }

  /** The quarter that a month (1 to 12) lies in. */
  quarterOf(year: number, month: number): number {
    return Math.ceil((year * 12 + month - 1 - this.#offset) / 3);
  }

  /** The last quarter that ended before `day` (days since 1970-01-01). */
  lastEnded(day: number): number {
    const date = new Date(day * 86_400_000);
    return this.quarterOf(date.getUTCFullYear(), date.getUTCMonth() + 1) - 1;
  }

  /** The last quarter of a fiscal year. */
  lastOf(fiscalYear: number): number {
    return (fiscalYear * 12 + this.#yearEnd - this.#offset) / 3;
  }

  /** 1 to 4: its place in the fiscal year. */
  numberOf(quarter: number): 1 | 2 | 3 | 4 {
    return (4 - (4 * this.fiscalYearOf(quarter) + this.lastOf(0) - quarter)) as 1 | 2 | 3 | 4;
  }

  fiscalYearOf(quarter: number): number {
    return Math.ceil((quarter - this.lastOf(0)) / 4);
  }

  /** Days since 1970-01-01 of its last day. */
  endOf(quarter: number): number {
    const month = 3 * quarter + this.#offset;
    return Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0) / 86_400_000;
  }

  endDayOf(quarter: number): string {
    return dayOfNumber(this.endOf(quarter));
  }
}
