// Puts a Node of a supported line beside the checkout (.cache/node/<line>) and prints the path of its binary, so that tests can run
// the daemon on it: `node scripts/node-line.mjs 22`. The registry's packages node-<platform> carry the binaries.
import { printCachedPackage } from './cached-package.mjs';
import { newestLine } from './node-lines.mjs';

const [line = newestLine] = process.argv.slice(2);
const { platform, arch } = process;
await printCachedPackage({
  folder: `node/${line}`,
  name: `node-${platform === 'win32' ? 'win' : platform}-${arch}`,
  range: line,
  file: platform === 'win32' ? 'bin/node.exe' : 'bin/node',
});
