// Makes the console's page (packages/console): its script as one file, and the files beside it. Into dist/console, from where the
// daemon serves it; bin/svcd needs none of it to start.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'packages', 'console');
const target = join(root, 'dist', 'console');

mkdirSync(target, { recursive: true });
const build = await rolldown({
  input: join(folder, 'src', 'main.ts'),
  platform: 'browser',
  tsconfig: join(folder, 'tsconfig.json'),
});
await build.write({ file: join(target, 'script.js'), format: 'esm', minify: true });
await build.close();
// Without the indentation: that is a tenth of them.
for (const name of ['index.html', 'style.css']) {
  writeFileSync(join(target, name), readFileSync(join(folder, 'src', name), 'utf8').replace(/^[ \t]+/gm, ''));
}
