/**
 * Runs the figures, one file each, and writes them to bench/results.md; sections of files that were not run stay as they are.
 *
 *   npm run bench -- [--runs N] [name…]
 *
 * Without names, all but `old-account`, which takes minutes. A file's own output appears as it comes; its last line is JSON (see lib/report.mjs). Of several runs the lowest counts,
 * figure by figure. All figures stand in one table at the end. Exit status 1 when a file fails or a figure misses its floor.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pushFigures } from './lib/push-figures.mjs';
import { lowest, tableOf, verdictOf } from './lib/report.mjs';

const FILES = [
  'start',
  'reads',
  'rest',
  'mcp',
  'mcp-sessions',
  'grpc',
  'core',
  'access',
  'orders',
  'orders-at-once',
  'matching',
  'codec',
  'import',
  'recording',
  'bridge',
  'push',
];
/** Take minutes to prepare: only when they are named. */
const LONG = ['old-account'];
/** Parsers of files that print their own measurements: the push figure. */
const FIGURES = { push: pushFigures };
const RESULTS = fileURLToPath(new URL('results.md', import.meta.url));

const { values, positionals: asked } = parseArgs({ options: { runs: { type: 'string', default: '1' } }, allowPositionals: true });
const runs = Number(values.runs);
const unknown = asked.filter((name) => ![...FILES, ...LONG].includes(name));
if (unknown.length > 0 || !Number.isInteger(runs) || runs < 1) {
  console.error(
    unknown.length > 0 ? `no figure ${unknown.join(', ')}; there are ${[...FILES, ...LONG].join(', ')}` : '--runs takes a number from 1',
  );
  process.exit(2);
}
const names = asked.length === 0 ? FILES : asked;

const results = new Map(names.map((name) => [name, { status: 0, runs: [] }]));
// One file after the other, and then all of them again: what else the machine does is not the same for long.
for (let count = 1; count <= runs; count++) {
  for (const name of names) {
    console.log(`\n== ${name}: node bench/${name}.mjs${runs === 1 ? '' : ` (run ${count} of ${runs})`}`);
    const { status, last } = await run(name);
    const result = results.get(name);
    result.status ||= status;
    if (status === 0) result.runs.push(figuresOf(name, last));
  }
}
const sections = sectionsBefore();
const all = [];
for (const [name, result] of results) {
  const figures = lowest(result.runs);
  all.push(...figures);
  sections.set(name, section(name, result.status, figures));
}
const ordered = [...FILES, ...LONG].flatMap((name) => sections.get(name) ?? []);
const failed = [...results.values()].some(({ status }) => status !== 0) || all.some(({ pass }) => pass === false);
writeFileSync(RESULTS, `${heading()}\n${ordered.join('\n')}`);
console.log(`\n${tableOf(all)}\n\nwritten to bench/results.md${failed ? '; not every floor was reached' : ''}`);
process.exitCode = failed ? 1 : 0;

/** Runs one file; its exit status and the last line that it printed. */
function run(name) {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`${name}.mjs`, import.meta.url))], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
    const shown = text
      .slice(-chunk.length)
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    process.stdout.write(shown.join('\n'));
  });
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, last: text.trimEnd().split('\n').at(-1) })));
}

function figuresOf(name, line) {
  const measured = JSON.parse(line);
  return FIGURES[name] === undefined ? measured.figures : FIGURES[name](measured);
}

function manifest(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

function heading() {
  const { version } = manifest('../package.json');
  const libraries = new Map(
    readdirSync(new URL('../packages', import.meta.url))
      .flatMap((name) => Object.entries(manifest(`../packages/${name}/package.json`).dependencies ?? {}))
      .filter(([name]) => !name.startsWith('@svc-gateway/'))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  const packages = [...libraries].map(([name, range]) => `${name} ${range}`);
  const machine = `${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${platform()} ${release()} ${arch()}`;
  return [
    '# Measured',
    '',
    'Every figure stands against its limit, measured in the same run by turns with it; medians, with the middle half of the',
    'rounds as the spread. More is better in a ratio. Of several runs the lowest counts. Written by `npm run bench`.',
    '',
    `- svc-gateway ${version}, Node ${process.versions.node}`,
    `- ${machine}`,
    `- ${packages.join(', ')}`,
    '',
  ].join('\n');
}

/** The sections that stand in the file, by their names. */
function sectionsBefore() {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
  const parts = text.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), `## ${part.trimEnd()}\n`]));
}

function section(name, status, figures) {
  const counted = runs === 1 ? 'one run' : `the lowest of ${runs} runs`;
  const title = `## ${name}\n\n\`node bench/${name}.mjs\`, ${new Date().toISOString().slice(0, 16)}Z, ${counted}\n`;
  if (status !== 0) return `${title}\nFailed with exit status ${status}.\n`;
  const rows = figures.map((figure) => {
    const { name: what, value, limit, ratio, spread, floor } = figure;
    return `| ${[what, value, limit ?? '', ratio?.toFixed(2) ?? '', spread ?? '', floor ?? '', verdictOf(figure)].join(' | ')} |`;
  });
  return `${title}\n| figure | measured | limit | ratio | spread | floor | |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`;
}
