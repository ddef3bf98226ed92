export { Board, Boards, type Figure, type Row, type ScreenFacts } from './board.js';
export { between, type Condition, type Hit, type SortKey, screen, sorted, valuesOf } from './screen.js';
