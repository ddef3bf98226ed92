// Puts the daemon's compiled modules, and the packages that they import, into one file: Node spends about a millisecond on
// every module, and there are some six hundred. What a start does not need stays in files of its own, which are loaded when
// they are asked for. Nothing is renamed or squeezed: stack traces read as before. bin/bundle.js runs it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { keepCompiledCode } from './compiled-code.mjs';

const dist = join(fileURLToPath(new URL('..', import.meta.url)), 'dist');

await bundle('svcd', 'entry/svcd.js');
// The thread that answers long reads. It shares no file with the daemon, which would have to load that file at its start.
await bundle('svcd-answers', 'entry/answer-worker.js');
await keepCompiledCode();

async function bundle(name, entry) {
  const build = await rolldown({
    input: { [name]: join(dist, entry) },
    platform: 'node',
    // Their native parts lie in their own folders.
    external: ['classic-level', '@napi-rs/keyring'],
  });
  // As CommonJS: Node 20 keeps compiled code of scripts only. As modules are, all of it is strict.
  const { output } = await build.generate({
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name].cjs`,
    banner: '"use strict";',
  });
  await build.close();
  for (const { fileName, code, isEntry } of output) writeFileSync(join(dist, fileName), isEntry ? ascii(code) : code);
}

/** The same code, with other characters escaped. In a text without escapes that would change what it says. */
function ascii(code) {
  if (/\.raw`[^`]*[^\p{ASCII}]/u.test(code))
    throw new Error('the bundle cannot be written in ASCII: it has a text without escapes (String.raw)');
  return code.replace(/[^\p{ASCII}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );
}
