// Refuses comment lines that begin with the word of a fragment: node scripts/comments.mjs [folder in place of the root].
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FRAGMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s+(What|Of|That|Those|Whose|Who|Which)\b/;
const SOURCES = /^(?:(?:packages|test|bench|scripts)\/.*\.(?:ts|mjs)|proto\/svc\/.*\.proto)$/;
const LEFT_OUT = /(?:^|\/)(?:dist|generated|node_modules)\//;

const root = process.argv[2] ?? join(import.meta.dirname, '..');
for (const folder of ['packages', 'test', 'bench', 'scripts', 'proto']) {
  for (const name of readdirSync(join(root, folder), { recursive: true }).sort()) {
    const file = `${folder}/${name.replaceAll('\\', '/')}`;
    if (SOURCES.test(file) && !LEFT_OUT.test(file)) check(file);
  }
}

function check(file) {
  for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries()) {
    const [, word] = FRAGMENT.exec(line) ?? [];
    if (word === undefined) continue;
    console.error(`comments: ${file}:${index + 1} begins with "${word}": write a sentence or a noun phrase with its subject first`);
    process.exitCode = 1;
  }
}
