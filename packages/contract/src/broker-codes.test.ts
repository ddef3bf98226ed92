import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { brokerCodes, refusalCode } from './broker-codes.js';

it('every code is in the list that says what to do, with its number', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/trading.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(broker\.\w+)` \| (-?\d+) \| [^|]+ \| [^|]+ \|$/gm)].map(([, code, number]) => [
    code,
    Number(number),
  ]);
  expect(listed).toEqual(brokerCodes);
});

it.each(brokerCodes)('%s is the code of errCode %d', (code, errCode) => {
  expect(refusalCode({ errCode }).code).toBe(code);
});

it('a reason without a code keeps the number that the brokerage gives', () => {
  expect(refusalCode({ errCode: 0 })).toEqual({ code: 'backend.refused', errCode: 'backend.refused' });
  expect(refusalCode({ errCode: 7 })).toEqual({ code: 'backend.refused', errCode: 7 });
});
