import { expect, it } from 'vitest';
import { age, changeOf, compact, figure, gain, money, placesOf } from './format.js';

it('shows every digit that was sent, thousands apart', () => {
  expect([figure(1545.23), figure('9007199254740993'), figure(0.000000001), figure(-1234.5), figure(880, 1)]).toEqual([
    '1,545.23',
    '9,007,199,254,740,993',
    '0.000000001',
    '−1,234.5',
    '880.0',
  ]);
  expect([money(88050), money(9903781.385), gain(-20), gain(0.5), gain(0)]).toEqual([
    '88,050.00',
    '9,903,781.385',
    '−20.00',
    '+0.50',
    '0.00',
  ]);
});

it('shows a dash where nothing was sent, and what is no number as it came', () => {
  expect([figure(undefined), figure(''), figure('n/a'), gain(undefined), compact('')]).toEqual(['–', '–', 'n/a', '–', '–']);
});

it('tells a change in exact decimals', () => {
  // In binary, 0.3 − 0.1 is 0.19999999999999998.
  expect(changeOf(0.3, 0.1, 2)).toEqual({ amount: '+0.20', percent: '+200.00%', direction: 1 });
  expect(changeOf(878.5, 893, 1)).toEqual({ amount: '−14.5', percent: '−1.62%', direction: -1 });
  expect(changeOf(5, 5, 2)).toEqual({ amount: '0.00', percent: '0.00%', direction: 0 });
  expect([changeOf(1, 0, 2), changeOf(undefined, 1, 2)]).toEqual([undefined, undefined]);
});

it('cuts volumes off rather than rounding them up, beyond 2^53 too', () => {
  expect(['0', '9999', '10000', '24088200', '9007199254740993'].map(compact)).toEqual(['0', '9,999', '10.00K', '24.08M', '9,007,199.25B']);
});

it('says how long ago something was', () => {
  expect([0, 1999, 2000, 59_999, 60_000, 7_200_000, 90_000_000, -5].map(age)).toEqual([
    'now',
    'now',
    '2 s',
    '59 s',
    '1 min',
    '2 h',
    '1 d',
    'now',
  ]);
});

it('knows how many places a price needs', () => {
  expect([0.5, 0.001, 880, 1e-9, undefined].map(placesOf)).toEqual([1, 3, 0, 9, 0]);
});
