import { create } from '@bufbuild/protobuf';
import { type C2S, PatternSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/kline_pattern_catalog_pb';
import { patternCategory } from '@svc-gateway/contract/list-enums';
import { Refusal } from '../../refusal.js';
import { checkChoice } from '../../view/choices.js';
import { checkVersion } from '../../view/extension-version.js';
import type { Answer } from '../../view/facts.js';
import { colorNumbers, pageOfRows, patternsOf } from './pattern-requests.js';

const categories = { candlestick: 1, chart: 2 } as const;

/** The patterns that the simulation looks for. */
export const klinePatternCatalog: Answer<never, C2S, S2C> = (_, request) => {
  const refused = checkVersion(request) ?? checkChoice('filter', request.filter, patternCategory);
  if (refused !== undefined) return refused;
  if (request.startCount < 0) return new Refusal(`start_count ${request.startCount}: expected 0 or more`, 'broker.value');
  const patterns = patternsOf(0, request.color);
  if (patterns instanceof Refusal) return patterns;
  const kept = patterns.filter(({ category }) => request.filter === 0 || categories[category] === request.filter);
  const patternList = pageOfRows(kept, request.startCount, request.count).map(({ shape, name, color, category, bars, definition }) =>
    create(PatternSchema, {
      shape,
      name,
      color: colorNumbers[color],
      category: categories[category],
      barCountMin: bars[0],
      barCountMax: bars[1],
      definition,
    }),
  );
  return create(S2CSchema, { patternList, allCount: kept.length });
};
