import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readSecret } from './secret-prompt.js';

function ask(typed: string, isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  let shown = '';
  const secret = readSecret('Password: ', input, (text) => {
    shown += text;
  });
  input.end(typed);
  return secret.then((value) => ({ value, shown }));
}

it('shows the prompt on a terminal and nothing of what is typed', async () => {
  expect(await ask('hunxx\u007f\u007fter2\r', true)).toEqual({ value: 'hunter2', shown: 'Password: \n' });
});

it.each([
  ['Ctrl-C', 'hun\u0003'],
  ['Ctrl-D', '\u0004'],
  ['nothing', ''],
])('has no secret at %s', async (_, typed) => {
  expect(await ask(typed, true)).toMatchObject({ value: undefined });
});

it('takes the whole input where there is no terminal, without its last line end', async () => {
  expect(await ask('two\nlines \r\n', false)).toEqual({ value: 'two\nlines ', shown: '' });
});
