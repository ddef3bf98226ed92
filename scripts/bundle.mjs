// Puts the daemon's compiled modules, and the libraries that they import, into one file, and those of svcctl into another: Node
// spends about a millisecond on every module, and there are over a thousand. Parts that a start does not need stay in files of
// their own, which are loaded when they are asked for. Nothing is renamed or squeezed: stack traces read as before.
// bin/bundle.js runs the daemon's.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { keepCompiledCode } from './compiled-code.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Node 20 keeps compiled code of scripts only. As modules are, all of it is strict. */
const COMMON_JS = { format: 'cjs', end: 'cjs', banner: '"use strict";' };

mkdirSync(join(root, 'dist'), { recursive: true });
await bundle('svcd', 'packages/daemon/dist/svcd.js', COMMON_JS);
// The thread that answers long reads. It shares no file with the daemon, which would have to load that file at its start.
await bundle('svcd-answers', 'packages/daemon/dist/answer-worker.js', COMMON_JS);
await bundle('svcctl', 'packages/cli/dist/svcctl.js', { format: 'esm', end: 'js', banner: '' });
await keepCompiledCode();

async function bundle(name, entry, { format, end, banner }) {
  const build = await rolldown({
    input: { [name]: join(root, entry) },
    platform: 'node',
    // Their native parts lie in their own folders.
    external: ['classic-level', '@napi-rs/keyring'],
  });
  const { output } = await build.generate({
    format,
    entryFileNames: `[name].${end}`,
    chunkFileNames: `${name}-[name].${end}`,
    banner,
  });
  await build.close();
  for (const { fileName, code, isEntry } of output) writeFileSync(join(root, 'dist', fileName), isEntry ? ascii(code) : code);
}

/** The same code, with other characters escaped. In a text without escapes that would change what it says. */
function ascii(code) {
  if (/\.raw`[^`]*[^\p{ASCII}]/u.test(code))
    throw new Error('the bundle cannot be written in ASCII: it has a text without escapes (String.raw)');
  return code.replace(/[^\p{ASCII}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
