export { NameIndex } from './name-index.js';
