export { entryOf, refuseBracket } from './bracket.js';
export { bracketHandlers } from './handlers.js';
export { Brackets } from './keeper.js';
