import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureSelfSigned } from '../../src/daemon/self-signed.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Paths of the certificate of this test run and of its key. */
    readonly tls: { readonly cert: string; readonly key: string };
  }
}

/** One self-signed certificate for the whole run. */
export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-tls-'));
  const tls = { cert: join(folder, 'localhost.crt'), key: join(folder, 'localhost.key') };
  await ensureSelfSigned(tls.cert, tls.key, Date.now());
  project.provide('tls', tls);
  return () => rmSync(folder, { recursive: true, force: true });
}
