// `npm start`: prepares the checkout and becomes `svcd --demo`, with whatever else is on the command line. One process,
// so that Ctrl-C is the daemon's own affair and its exit status that of `npm start`.
import { prepare } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, '--demo');
await import(new URL('../bin/svcd', import.meta.url).href);
