import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Company } from './company.js';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** Callers of a flush, of whom all have been answered. */
function companyOf(callers: number): Company {
  const company = new Company();
  for (let caller = 0; caller < callers; caller++) company.joined();
  company.flushed(company.leave());
  return company;
}

function joins(company: Company, callers: number): void {
  for (let caller = 0; caller < callers; caller++) company.joined();
}

it('keeps nobody waiting where few write at once', () => {
  const company = companyOf(7);
  company.joined();
  expect(company.gather()).toBeUndefined();
});

it('waits until as many are back as were answered or waited, and not a millisecond longer', async () => {
  const company = companyOf(20);
  joins(company, 5);
  const gathered = company.gather();
  expect(gathered).toBeInstanceOf(Promise);
  joins(company, 15);
  await gathered;
  expect(company.leave()).toBe(20);
});

it('counts those who came during the flush among those who are waited for', async () => {
  const company = new Company();
  joins(company, 12);
  const left = company.leave();
  joins(company, 10);
  company.flushed(left);
  const gathered = company.gather();
  joins(company, 12);
  await gathered;
  expect(company.leave()).toBe(22);
});

it('goes when a millisecond has brought nobody', async () => {
  const company = companyOf(20);
  joins(company, 5);
  const gathered = company.gather();
  await vi.advanceTimersByTimeAsync(1);
  await gathered;
  expect(company.leave()).toBe(5);
});

it('counts those of a turn that took longer than its millisecond', async () => {
  const company = companyOf(20);
  joins(company, 5);
  const gathered = company.gather();
  // Due, but the sockets are read only after that.
  vi.advanceTimersByTime(1);
  joins(company, 15);
  await gathered;
  expect(company.leave()).toBe(20);
});

it('goes after eight milliseconds, whoever still comes', async () => {
  const company = companyOf(100);
  joins(company, 1);
  const gathered = company.gather();
  for (let step = 0; step < 8; step++) {
    joins(company, 1);
    vi.advanceTimersByTime(1);
    await new Promise(setImmediate);
  }
  await gathered;
  expect(company.leave()).toBe(9);
});

it('waits for those whose requests take a while to be answered and read, but for nobody who has been gone for long', () => {
  const company = companyOf(20);
  vi.advanceTimersByTime(19);
  company.joined();
  expect(company.gather()).toBeInstanceOf(Promise);
  vi.advanceTimersByTime(1);
  expect(company.gather()).toBeUndefined();
});
