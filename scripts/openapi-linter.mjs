// Puts a published linter of OpenAPI documents beside the checkout (.cache/openapi-linters) and prints the path of its module:
// `node scripts/openapi-linter.mjs spectral`. They are too heavy to be dependencies that every checkout installs.
import { printCachedPackage } from './cached-package.mjs';

const linters = {
  spectral: { name: '@stoplight/spectral-rulesets', range: '1', file: 'dist/index.js' },
  redocly: { name: '@redocly/openapi-core', range: '2', file: 'lib/index.js' },
};
const { name, range, file } = linters[process.argv[2]] ?? linters.spectral;

await printCachedPackage({ folder: `openapi-linters/${name.replaceAll(/\W+/g, '-')}-${range}`, name, range, file });
