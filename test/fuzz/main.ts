// npm run fuzz [-- --count 10000000 --seed 1]
import { parseArgs } from 'node:util';
import { Finding, fuzz } from './fuzz.js';
import { codecTargets } from './targets.js';

const { values } = parseArgs({ options: { count: { type: 'string', default: '10000000' }, seed: { type: 'string' } } });
const count = positiveInteger('--count', values.count);
const seed = values.seed === undefined ? Date.now() % 2 ** 32 : positiveInteger('--seed', values.seed);

console.log(`${count} mutated frames, seed ${seed}`);
for (const target of codecTargets) {
  try {
    const { frames, answers, seconds, memoryBefore, memoryAfter } = await fuzz(target, Math.ceil(count / codecTargets.length), seed);
    const rate = Math.round(frames / seconds);
    console.log(
      `${target.name}: ${frames} frames, ${rate}/s, ${answers} answers, memory ${mebibytes(memoryBefore)} before, ${mebibytes(memoryAfter)} after`,
    );
  } catch (error) {
    if (!(error instanceof Finding)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function positiveInteger(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`${flag}: expected a positive integer, found ${JSON.stringify(text)}`);
  process.exit(2);
}
