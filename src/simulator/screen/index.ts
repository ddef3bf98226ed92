export { Boards, type Figure } from './board.js';
export { between, type Condition, type Hit, type SortKey, screen, sorted, valuesOf } from './screen.js';
