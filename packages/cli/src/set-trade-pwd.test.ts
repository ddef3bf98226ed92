import type { CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { FakeCredentialStore } from '../../../test/support/credential-store.js';
import { quietTerminal } from '../../../test/support/terminal.js';
import { setTradePwdCommand } from './set-trade-pwd.js';

async function run(store: FakeCredentialStore, typed: readonly (string | undefined)[], { asksPerson = true, args = [] as string[] } = {}) {
  let said = '';
  const answers = [...typed];
  const explain = (text: string) => {
    said += text;
  };
  const terminal = { ...quietTerminal, asksPerson, explain, out: explain, readSecret: async () => answers.shift() };
  const command = setTradePwdCommand(terminal, store).exitOverride().configureOutput({ writeErr: explain, writeOut: explain });
  const status = await command.parseAsync(args, { from: 'user' }).then(
    () => 0,
    (thrown: unknown) => (thrown as CommanderError).exitCode,
  );
  for (const secret of typed) if (secret) expect(said).not.toContain(secret);
  return { status, said, unread: answers.length };
}

it('keeps what a person typed twice', async () => {
  const store = new FakeCredentialStore();
  expect(await run(store, ['hunter2', 'hunter2'])).toMatchObject({ status: 0, unread: 0 });
  expect(store.secret).toBe('hunter2');
});

it('keeps what came on standard input, once', async () => {
  const store = new FakeCredentialStore();
  expect(await run(store, ['hunter2', 'unread'], { asksPerson: false })).toMatchObject({ status: 0, unread: 1 });
  expect(store.secret).toBe('hunter2');
});

it.each([
  [['hunter2', 'hunter3'], 'do not match'],
  [['hunter2', undefined], 'do not match'],
  [[undefined], 'no password was given'],
  [[''], 'must not be empty'],
  [['x'.repeat(257)], 'at most 256 characters'],
])('changes nothing when it gets %j', async (typed, reason) => {
  const store = new FakeCredentialStore();
  store.secret = 'before';
  const { status, said } = await run(store, typed);
  expect({ status, secret: store.secret }).toEqual({ status: 2, secret: 'before' });
  expect(said).toContain(reason);
});

it('takes no password as an argument', async () => {
  const store = new FakeCredentialStore();
  expect((await run(store, [], { args: ['hunter2'] })).status).not.toBe(0);
  expect(store.secret).toBeUndefined();
});

it('removes the password, and says when there was none', async () => {
  const store = new FakeCredentialStore();
  store.secret = 'before';
  expect((await run(store, [], { args: ['--delete'] })).said).toContain('was removed');
  expect(store.secret).toBeUndefined();
  expect(await run(store, [], { args: ['--delete'] })).toMatchObject({ status: 0, said: 'There was no trade password.\n' });
});

it('names the variable to use where there is no credential store', async () => {
  const { status, said } = await run(new FakeCredentialStore('no bus'), ['hunter2', 'hunter2']);
  expect(status).toBe(1);
  expect(said).toMatch(/no bus[\s\S]*SVC_TRADE_PWD/);
});
