import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { constants, Script } from 'node:vm';

const bundle = fileURLToPath(new URL('../dist/svcd.cjs', import.meta.url));
/** A digest of the bundle and of the Node that built it, then V8's compiled code (`scripts/compiled-code.mjs`). */
export const compiledCode = fileURLToPath(new URL('../dist/svcd.code', import.meta.url));

/**
 * Runs the daemon's bundle as Node runs a CommonJS module, but with the compiled code that was kept when it was built, which saves a
 * third of the start. V8 checks its own version and the length of the text only, and crashes on code that another patch release of Node compiled:
 * a digest of the text and of the Node that runs stands before the code. Code that is missing or does not fit costs time and nothing else.
 *
 * Returns the script and that digest; undefined where nothing has been bundled.
 */
export function runBundle() {
  if (!existsSync(bundle)) return undefined;
  // Code that was compiled under other flags is refused as well. Where svcd was started without those of its first line, this says
  // what holds anyway.
  setFlagsFromString('--max-semi-space-size=16');
  const bytes = readFileSync(bundle);
  const digest = createHash('sha256').update(`${process.version} ${process.arch} ${process.execPath}\n`).update(bytes).digest();
  // The bundle is ASCII, which costs no decoding.
  const script = new Script(Module.wrap(bytes.latin1Slice()), {
    filename: bundle,
    cachedData: codeFor(digest),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const require = createRequire(bundle);
  const module = new Module(bundle);
  // The chunks that are loaded later ask for what is in here.
  require.cache[bundle] = module;
  script.runInThisContext().call(module.exports, module.exports, require, module, bundle, dirname(bundle));
  return { script, digest };
}

function codeFor(digest) {
  try {
    const kept = readFileSync(compiledCode);
    return digest.equals(kept.subarray(0, digest.length)) ? kept.subarray(digest.length) : undefined;
  } catch {
    return undefined;
  }
}
