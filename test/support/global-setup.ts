import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepare } from '../../scripts/prepare.mjs';
import { ensureSelfSigned } from '../../src/daemon/self-signed.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Paths of the certificate of this test run and of its key. */
    readonly tls: { readonly cert: string; readonly key: string };
  }
}

/** How far back the certificate is valid: storms set the clock of a daemon back by as much, and then start it. */
const BACK_MS = 90 * 86_400_000;

/** What is tested is built, and there is one self-signed certificate for the whole run. */
export async function setup(project: TestProject): Promise<() => void> {
  await prepare();
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-tls-'));
  const tls = { cert: join(folder, 'localhost.crt'), key: join(folder, 'localhost.key') };
  await ensureSelfSigned(tls.cert, tls.key, Date.now() - BACK_MS);
  project.provide('tls', tls);
  return () => rmSync(folder, { recursive: true, force: true });
}
