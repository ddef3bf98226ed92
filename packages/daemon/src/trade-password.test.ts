import { expect, it } from 'vitest';
import { FakeCredentialStore } from '../../../test/support/credential-store.js';
import { tradePassword } from './trade-password.js';

function source(environment: Record<string, string | undefined>, store: FakeCredentialStore) {
  const warnings: unknown[][] = [];
  const read = tradePassword(environment, { warn: (...args: unknown[]) => void warnings.push(args) }, store);
  return { read, warnings };
}

it('comes from the variable first, which child processes do not inherit', async () => {
  const environment: Record<string, string | undefined> = { SVC_TRADE_PWD: 'from-variable', PATH: '/bin' };
  const store = new FakeCredentialStore();
  store.secret = 'from-store';
  const { read } = source(environment, store);
  expect(environment).toEqual({ PATH: '/bin' });
  expect(await read()).toBe('from-variable');
  expect(await read()).toBe('from-variable');
  expect(store.reads).toBe(0);
});

it('comes from the credential store, as it is at each call', async () => {
  const store = new FakeCredentialStore();
  const { read, warnings } = source({ SVC_TRADE_PWD: '' }, store);
  expect(await read()).toBeUndefined();
  store.secret = 'first';
  expect(await read()).toBe('first');
  store.secret = 'second';
  expect(await read()).toBe('second');
  expect(warnings).toEqual([]);
});

it('is not available where there is no credential store, which is said once', async () => {
  const { read, warnings } = source({}, new FakeCredentialStore('no bus'));
  expect([await read(), await read()]).toEqual([undefined, undefined]);
  expect(warnings).toEqual([[{ reason: 'no bus' }, expect.stringContaining('SVC_TRADE_PWD')]]);
});
