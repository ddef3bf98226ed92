import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { keyRecord } from '../../test/support/access.js';
import { digestOf } from './digest-table.js';
import { KeyIndex } from './key-index.js';
import type { KeyRecord } from './key-record.js';

/** The key of a text, and the index that it was found in, which nothing else holds. */
function found(text: string): { readonly key: KeyRecord | undefined; readonly index: WeakRef<KeyIndex> } {
  const index = new KeyIndex([{ ...keyRecord('desk'), hash: digestOf(text), note: 'of the desk' }], () => undefined);
  const row = index.byText.find(text);
  return { key: row === undefined ? undefined : index.byText.key(row), index: new WeakRef(index) };
}

it('a key that a connection keeps does not keep the table that it was found in', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { key, index } = found('text');
  expect(key?.hash).toBe(digestOf('text'));
  // What a WeakRef refers to is held until the turn ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(index.deref()).toBeUndefined();
  expect(key?.note).toBe('of the desk');
});
