import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepare } from '../../scripts/prepare.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Paths of the certificate of this test run and of its key. */
    readonly tls: { readonly cert: string; readonly key: string };
  }
}

/** The certificate is valid at every moment at which a test starts a daemon: some have a clock of their own. */
const VALID = [Date.UTC(2016, 0), Date.UTC(2046, 0)] as const;

/** Builds the code under test and makes one self-signed certificate for the whole run. */
export async function setup(project: TestProject): Promise<() => void> {
  await prepare();
  // Packages resolve once they are compiled.
  const { selfSignedPair } = await import('../../packages/daemon/src/self-signed.js');
  const { writePrivateFile } = await import('@svc-gateway/storage');
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-tls-'));
  const tls = { cert: join(folder, 'localhost.crt'), key: join(folder, 'localhost.key') };
  const pair = await selfSignedPair(...VALID);
  for (const part of ['cert', 'key'] as const) writePrivateFile(tls[part], pair[part]);
  project.provide('tls', tls);
  return () => rmSync(folder, { recursive: true, force: true });
}
