export { catalogue, type Occurrence, occurrences, patternOf } from './catalogue.js';
export type { Pattern, PatternColor } from './pattern.js';
export { type PatternBar, Series, seriesOf } from './series.js';
