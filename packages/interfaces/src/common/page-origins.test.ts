import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { PageOrigins } from './page-origins.js';

const allowed = ['https://desk.example', 'http://localhost:3000'];
const { cert, key } = inject('tls');
const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };

/** The codes that refuse a request of a page, with keys and without; undefined where it passes. */
function judged(origin: string | undefined, host: string | undefined, origins = new PageOrigins(allowed)) {
  const headers = { ...(origin === undefined ? {} : { origin }), ...(host === undefined ? {} : { host }) };
  return [true, false].map((scopeMode) => origins.check(headers, { scopeMode })?.code);
}
const [passes, refused] = [undefined, 'auth.origin'];

it.each([
  [undefined, '127.0.0.1:22499'],
  [undefined, undefined],
  ['http://127.0.0.1:22499', '127.0.0.1:22499'],
  ['http://192.0.2.7:22499', '192.0.2.7:22499'],
  ['http://[2001:db8::7]:22499', '[2001:db8::7]:22499'],
  ['http://localhost:5173', '127.0.0.1:22499'],
  ['http://[::1]:8080', 'localhost'],
  ['https://desk.example', 'desk.example'],
  ['https://desk.example', '127.0.0.1:22499'],
])('a page of %s under %s may call', (origin, host) => {
  expect(judged(origin, host)).toEqual([passes, passes]);
});

it.each([
  ['http://evil.example', 'evil.example'],
  ['http://evil.example:22499', 'evil.example:22499'],
  ['https://desk.example.evil.example', 'desk.example.evil.example'],
  ['http://127.0.0.1.evil.example', '127.0.0.1.evil.example'],
  ['https://evil.example', '127.0.0.1:22499'],
  ['http://192.0.2.7', '127.0.0.1'],
  ['null', '127.0.0.1'],
  ['', '127.0.0.1'],
])('a page of %s under %s may not, with a key or without', (origin, host) => {
  expect(judged(origin, host)).toEqual([refused, refused]);
});

it('goes by keys where a program calls by a name, and by the name where nobody has one', () => {
  expect(judged(undefined, 'gateway.example:22499')).toEqual([passes, refused]);
  expect(judged(undefined, 'desk.example')).toEqual([passes, passes]);
});

it('knows the names of its certificate, and those alone', () => {
  const origins = new PageOrigins([], tls);
  expect(judged('https://localhost:22499', 'localhost:22499', origins)).toEqual([passes, passes]);
  expect(judged('https://evil.example', 'evil.example', origins)).toEqual([refused, refused]);
});
