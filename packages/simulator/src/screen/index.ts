export { ColumnSnapshots, type Figure } from './column-snapshot.js';
export { between, type Condition, type Hit, type SortKey, screen, sorted, valuesOf } from './screen.js';
