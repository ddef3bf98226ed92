import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The binary of a supported line of Node, installed at first use; the reason where that is not possible. */
export function nodeOfLine(line: string): { readonly node: string } | { readonly missing: string } {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'node-line.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, line], { encoding: 'utf8' });
  return status === 0 ? { node: stdout.trim() } : { missing: `Node ${line} could not be installed: ${stderr.trim()}` };
}
