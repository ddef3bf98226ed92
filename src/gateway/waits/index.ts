export { Waits } from './waits.js';
