// Puts the daemon's compiled modules, and the packages that they import, into one file: Node spends about a millisecond on
// every module, and there are some six hundred. What a start does not need stays in files of its own, which are loaded when
// they are asked for. Nothing is renamed or squeezed: stack traces read as before.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = join(fileURLToPath(new URL('..', import.meta.url)), 'dist');

const build = await rolldown({
  input: { svcd: join(dist, 'entry/svcd.js') },
  platform: 'node',
  // Their native parts lie in their own folders.
  external: ['classic-level', '@napi-rs/keyring'],
});
await build.write({ dir: dist, format: 'esm', chunkFileNames: 'svcd-[name].js' });
await build.close();
