import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { issueKey, type LimitFlags, limitsFromFlags } from '@svc-gateway/access';
import type { Scope } from '@svc-gateway/contract/scope';

/** A key that a test asks for. */
export interface KeyWish {
  readonly scopes: readonly Scope[];
  readonly limits?: LimitFlags;
  /** Epoch ms. */
  readonly expiresAt?: number;
  readonly machines?: readonly string[];
  /** Also for the published clients, which show the MD5 of the key. */
  readonly sdk?: boolean;
}

/** Issues a key into the keys file as `svcctl gen-key` does, with a text of its own or the given one; its text. */
export async function makeKey(path: string, id: string, wish: KeyWish, text?: string): Promise<string> {
  const limits = limitsFromFlags(wish.limits ?? {});
  if (!limits.ok) throw new Error(limits.error);
  const issued = await issueKey(path, {
    id,
    scopes: wish.scopes,
    limitsJson: limits.value.json,
    allowedMachines: wish.machines ?? null,
    createdAt: 0,
    expiresAt: wish.expiresAt ?? null,
    note: '',
    sdk: wish.sdk ?? false,
  });
  if (!issued.ok) throw new Error(issued.error);
  if (text === undefined) return issued.value.keyText;
  // In the text of the file: account ids have more digits than JSON.parse keeps.
  let file = readFileSync(path, 'utf8');
  for (const digest of [hashOf, sdkHashOf]) file = file.replace(digest(issued.value.keyText), digest(text));
  writeFileSync(path, file);
  return text;
}

const hashOf = (text: string) => hash('sha256', text, 'hex');
/** Published clients show the MD5 of the key. */
const sdkHashOf = (text: string) => hashOf(hash('md5', text, 'hex'));

/** Changes the record of one key in the keys file, as an operator's editor does; `undefined` takes it out. */
export function editKey(path: string, id: string, change: Record<string, unknown> | undefined): void {
  const file = JSON.parse(readFileSync(path, 'utf8')) as { keys: { id: string }[] };
  const keys = file.keys.flatMap((key) => (key.id !== id ? [key] : change === undefined ? [] : [{ ...key, ...change }]));
  writeFileSync(path, JSON.stringify({ ...file, keys }));
}
