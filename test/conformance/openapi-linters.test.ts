import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openApiDocument } from '@svc-gateway/contract/openapi';
import { describe, expect, it } from 'vitest';

const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' })));

/** The path of a linter's module, installed at first use; the reason where that is not possible. */
function linter(name: 'spectral' | 'redocly'): { readonly module: string } | { readonly missing: string } {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'openapi-linter.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, name], { encoding: 'utf8' });
  return status === 0 ? { module: stdout.trim() } : { missing: `${name} could not be installed: ${stderr.trim()}` };
}

describe('the OpenAPI document', () => {
  it('passes the `oas` rules of Spectral', async (context) => {
    const found = linter('spectral');
    if ('missing' in found) return context.skip(found.missing);
    const load = createRequire(found.module);
    const { Spectral } = load('@stoplight/spectral-core');
    const { oas } = load(found.module);
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas, 'recommended']] });
    const ERROR = 0;
    const problems = (await spectral.run(document)) as { severity: number; code: string; path: string[]; message: string }[];
    expect(problems.filter(({ severity }) => severity === ERROR)).toEqual([]);
    // The document names nobody to write to, and a WebSocket handshake succeeds with 101.
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['info-contact', 'operation-success-response']));
  });

  it('passes the recommended rules of Redocly', async (context) => {
    const found = linter('redocly');
    if ('missing' in found) return context.skip(found.missing);
    const { createConfig, lintFromString } = await import(/* @vite-ignore */ found.module);
    const config = await createConfig({ extends: ['recommended'] });
    const problems = (await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })) as {
      severity: string;
      ruleId: string;
      message: string;
    }[];
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('has no two names that generated code would write alike', () => {
    const owners = new Map<string, string>();
    const claim = (name: string, owner: string) => {
      const written = name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
      expect([written, owners.get(written)]).toEqual([written, undefined]);
      owners.set(written, owner);
    };
    for (const kind of ['schemas', 'responses', 'parameters', 'headers'] as const) {
      const suffix = kind === 'schemas' ? '' : kind.slice(0, -1);
      for (const name of Object.keys(document.components[kind])) claim(`${name}${suffix}`, `${kind} ${name}`);
    }
    for (const [path, methods] of Object.entries<Record<string, { operationId: string; responses: object }>>(document.paths)) {
      for (const [method, { operationId, responses }] of Object.entries(methods)) {
        for (const part of ['', 'Body', 'Params', ...Object.keys(responses)]) claim(`${operationId}${part}`, `${method} ${path} ${part}`);
      }
    }
  });
});
