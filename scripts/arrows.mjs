// Holds every import of src/ against the arrows that arrows.config.mjs allows, types included, and finds import circles:
// node scripts/arrows.mjs [folder in place of src]. Tests may import what they like; nothing imports a test.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { arrows } from '../arrows.config.mjs';

const GENERATED = 'contract/generated';

const root = process.argv[2] ?? join(import.meta.dirname, '..', 'src');
const files = sources(root);
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const problems = [...wrongFolders(), ...wrongArrows(), ...circles()];
for (const problem of problems) console.error(`arrows: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

/** The files of the program, relative to its root: neither tests nor what is generated. */
function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !isWithin(file, GENERATED))
    .sort();
}

/** Project imports of a file: each path relative to the root, with the line of its first import. */
function importsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const found = new Map();
  const take = (source) => {
    if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
    const path = posix.normalize(posix.join(dirname(file), source.value));
    const target = files.includes(path) ? path : path.replace(/\.([cm]?)js$/, '.$1ts');
    if (!found.has(target)) found.set(target, text.slice(0, source.start).split('\n').length);
  };
  const visit = ({ source }) => take(source);
  new Visitor({
    ImportDeclaration: visit,
    ExportNamedDeclaration: visit,
    ExportAllDeclaration: visit,
    ImportExpression: visit,
    TSImportType: visit,
  }).visit(program);
  return found;
}

function* wrongFolders() {
  const present = new Set(files.map(folderOf));
  for (const folder of present) {
    if (!(folder in arrows)) yield `${folder}/ is not in arrows.config.mjs: say there what it may import, and who may import it`;
  }
  for (const folder of Object.keys(arrows)) {
    if (folder !== GENERATED && !present.has(folder)) yield `${folder}/ is in arrows.config.mjs and holds no file: take it out`;
  }
}

function* wrongArrows() {
  for (const [file, targets] of imports) {
    const from = folderOf(file);
    const allowed = arrows[from] ?? [];
    for (const [target, line] of targets) {
      const to = folderOf(target);
      if (to === from || allowed.includes(to) || allowed.includes(target)) continue;
      yield `${file}:${line} imports ${target}; ${from}/ may import ${allowed.join(', ') || 'nothing of the project'}`;
    }
  }
}

/** Tarjan's strongly connected components: each of more than one file is a circle. */
function* circles() {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (file) => {
    index.set(file, index.size);
    low.set(file, index.get(file));
    stack.push(file);
    for (const target of imports.get(file)?.keys() ?? []) {
      if (!imports.has(target)) continue;
      if (!index.has(target)) visit(target);
      if (stack.includes(target)) low.set(file, Math.min(low.get(file), low.get(target)));
    }
    if (low.get(file) !== index.get(file)) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1) found.push(circle);
  };
  for (const file of files) if (!index.has(file)) visit(file);
  for (const circle of found) {
    yield `import circle, types included: ${circle.sort().join(', ')}`;
  }
}

function folderOf(file) {
  return isWithin(file, GENERATED) ? GENERATED : posix.dirname(file);
}

function isWithin(file, folder) {
  return file.startsWith(`${folder}/`);
}
