import { generate } from 'selfsigned';
import { expect, it } from 'vitest';
import { printedHost } from './printed-host.js';
import { selfSignedPair } from './self-signed.js';

const until = Date.UTC(2046, 0, 1);

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
  ['192.0.2.7', '192.0.2.7'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
  ['2001:db8::7', '[2001:db8::7]'],
])('a listener at %s is reached at %s', async (bind, host) => {
  expect(printedHost(bind)).toBe(host);
  expect(printedHost(bind, (await selfSignedPair(0, until)).cert)).toBe(host);
});

it('everywhere with a certificate for another name is reached by that name', async () => {
  const names = [
    { type: 2, value: '*.example' },
    { type: 2, value: 'desk.example' },
  ] as const;
  const { cert } = await generate([{ name: 'commonName', value: 'desk' }], {
    extensions: [{ name: 'subjectAltName', altNames: [...names] }],
  });
  expect([printedHost('0.0.0.0', cert), printedHost('192.0.2.7', cert)]).toEqual(['desk.example', '192.0.2.7']);
});
