// Puts the newest Node LTS beside the checkout (.cache/node-lts) and prints the path of its binary, so that tests can run
// the daemon on it. The registry's packages node-<platform> carry the binaries.
import { printCachedPackage } from './cached-package.mjs';

/** Major version of the newest line in long-term support. */
const LTS = '26';

const { platform, arch } = process;
await printCachedPackage({
  folder: `node-lts/${LTS}`,
  name: `node-${platform === 'win32' ? 'win' : platform}-${arch}`,
  range: LTS,
  file: platform === 'win32' ? 'bin/node.exe' : 'bin/node',
});
