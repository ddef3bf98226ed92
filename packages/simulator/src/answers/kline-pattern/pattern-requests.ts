import { listAccepted } from '@svc-gateway/contract/enums';
import { patternCategory, patternColor } from '@svc-gateway/contract/list-enums';
import type { klinePattern as declared } from '@svc-gateway/contract/operations';
import type { Bar } from '../../market/index.js';
import { catalogue, type Pattern, type PatternColor, patternOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { threePlaces } from '../../view/figures.js';
import { checkChoice, versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';

const categories = { candlestick: 1, chart: 2 } as const;

/** The patterns that the simulation looks for. */
export const klinePatternCatalog: AnswerTo<typeof declared.klinePatternCatalog> = versioned((_, request) => {
  const refused = checkChoice('filter', request.filter, patternCategory);
  if (refused !== undefined) return refused;
  if (request.startCount < 0) return new Refusal(`start_count ${request.startCount}: expected 0 or more`, 'broker.value');
  const patterns = patternsOf(0, request.color);
  if (patterns instanceof Refusal) return patterns;
  const kept = patterns.filter(({ category }) => request.filter === 0 || categories[category] === request.filter);
  const patternList = pageOfRows(kept, request.startCount, request.count).map(({ shape, name, color, category, bars, definition }) => ({
    shape,
    name,
    color: colorNumbers[color],
    category: categories[category],
    barCountMin: bars[0],
    barCountMax: bars[1],
    definition,
  }));
  return { patternList, allCount: kept.length };
});

/** By number, as messages have them. */
export const colorNumbers: Readonly<Record<PatternColor, number>> = { bullish: 1, bearish: 2, neutral: 3 };

/** The pattern of a request that must name one. */
export function requirePattern(shape: number): Pattern | Refusal {
  return patternOf(shape) ?? new Refusal(`shape ${shape}: no pattern has this number; kline_pattern_catalog lists them`);
}

/** Patterns of a colour (0: of any) and a number (0: any). */
export function patternsOf(shape: number, color: number): readonly Pattern[] | Refusal {
  if (shape !== 0) {
    const pattern = requirePattern(shape);
    if (pattern instanceof Refusal) return pattern;
  }
  if (color < 0 || color > colorNumbers.neutral)
    return new Refusal(`unknown color ${color}; accepted: ${listAccepted(patternColor, 'rest')}`, 'broker.value');
  return catalogue.filter((pattern) => (shape === 0 || pattern.shape === shape) && (color === 0 || colorNumbers[pattern.color] === color));
}

/** Rows of a page: all of them from `start` on where `count` is 0 or less. */
export function pageOfRows<T>(rows: readonly T[], start: number, count: number): readonly T[] {
  return count > 0 ? rows.slice(start, start + count) : rows.slice(start);
}

/** The close of a bar, as changes are counted from it. */
export function closeOf({ close }: Bar): number {
  return Number(close) / 1e9;
}

/** Percent of change between two prices, to three places. */
export function changePercent(from: number, to: number): number {
  return Math.round(((to - from) / from) * 100_000) / 1000;
}

/** How often something rose, and by how much: figures of a sample, absent where there is none. */
export function summary(changes: readonly number[]): {
  readonly riseRatio?: number;
  readonly averageChangeRate?: number;
  readonly medianChangeRate?: number;
  readonly maxChangeRate?: number;
  readonly minChangeRate?: number;
} {
  if (changes.length === 0) return {};
  const sorted = [...changes].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1] ?? 0;
  return {
    riseRatio: threePlaces((100 * sorted.filter((change) => change > 0).length) / sorted.length),
    averageChangeRate: threePlaces(sorted.reduce((sum, change) => sum + change, 0) / sorted.length),
    medianChangeRate: threePlaces((lower + upper) / 2),
    maxChangeRate: sorted.at(-1) ?? 0,
    minChangeRate: sorted[0] ?? 0,
  };
}
