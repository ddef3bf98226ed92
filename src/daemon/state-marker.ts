import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensurePrivateFolder } from '../storage/index.js';

/** What was noted of a database outside of it. */
export interface StateMark {
  /** {@link DurableStore.identity}. */
  readonly identity: string;
  /** A number of flushes that the database has on disk, at the least. */
  readonly sequence: number;
}

/** Where the progress of the database with this identity is noted: in the configuration folder, which is not restored together with the state. */
export function markerPath(configDir: string, identity: string): string {
  return join(configDir, 'state-markers', `${identity}.json`);
}

/** What was noted, if anything was that can be read. */
export function readMark(path: string): StateMark | undefined {
  try {
    const { identity, sequence } = JSON.parse(readFileSync(path, 'utf8')) as Partial<StateMark>;
    return typeof identity === 'string' && Number.isSafeInteger(sequence) ? { identity, sequence: sequence as number } : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the note as a whole. Rejects when the folder cannot be written. */
export async function writeMark(path: string, mark: StateMark): Promise<void> {
  ensurePrivateFolder(dirname(path));
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(mark)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
