export { LongPolls } from './long-polls.js';
