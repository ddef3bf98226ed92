// Puts the official MCP inspector beside the checkout (.cache/mcp-inspector) and prints the path of its program, so that a
// test can hold the tools against a client that is not ours. It needs a newer Node than the gateway: see node-line.mjs.
import { printCachedPackage } from './cached-package.mjs';

/** Major version. */
const LINE = '2';

await printCachedPackage({
  folder: `mcp-inspector/${LINE}`,
  name: '@modelcontextprotocol/inspector',
  range: LINE,
  file: 'clients/launcher/build/index.js',
});
