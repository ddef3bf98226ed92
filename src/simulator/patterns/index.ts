export { catalogue, patternOf } from './catalogue.js';
export { type Occurrence, occurrences } from './detect.js';
export type { Pattern, PatternColor } from './pattern.js';
export { type PatternBar, Series, seriesOf } from './series.js';
