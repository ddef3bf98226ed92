import { nearestName } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';

/** Weight of a word, by place of the match. */
const WEIGHTS = { name: 8, title: 6, summary: 3, guide: 1 } as const;
/** Stop words. */
const COMMON = new Set('a all an and for get in is me my of on or show svc the to what with'.split(' '));

/**
 * Operations that match some words, best first; all of them, in their order, without words. A word matches one
 * that begins with it or is one edit away, and counts most in a tool's name.
 */
export function matching(operations: readonly Operation[], query: string): readonly Operation[] {
  const wanted = wordsOf(query).filter((word) => !COMMON.has(word));
  if (wanted.length === 0) return operations;
  return operations
    .map((operation) => ({ operation, score: scoreOf(operation, wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ operation }) => operation);
}

function scoreOf(operation: Operation, wanted: readonly string[]): number {
  const { title, summary, guide } = operation;
  const texts = { name: operation.name, title, summary, guide };
  let score = 0;
  for (const [place, weight] of Object.entries(WEIGHTS) as [keyof typeof WEIGHTS, number][]) {
    const words = wordsOf(texts[place]);
    for (const word of wanted) score += weight * likeness(word, words);
  }
  return score;
}

/** 1 for an exact match of a word, less for a prefix or a near spelling. */
function likeness(word: string, words: readonly string[]): number {
  const stem = word.length > 3 ? word.replace(/(ies|es|s)$/, '') : word;
  if (words.includes(word)) return 1;
  if (words.some((each) => each.startsWith(stem) || (stem.length > 3 && stem.startsWith(each) && each.length > 3))) return 0.7;
  return word.length > 4 && nearestName(word, words) !== undefined ? 0.4 : 0;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
