import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '@svc-gateway/contract/openapi';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_MARGIN, REAL_FUTURES } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';

/** The bodies that the interface specification writes, in the spellings that it writes them in. */
const rows = readFileSync(join(import.meta.dirname, 'bodies.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [route = '', body = ''] = line.split('\t');
    return [route.replace('POST ', ''), body.replaceAll('ACC', HK_MARGIN).replaceAll('FUTURES', REAL_FUTURES)] as const;
  });

/** Codes that refuse a body which the daemon cannot read. */
const unread = /^request\.(unknown_field|missing_field|wrong_type|malformed_json|out_of_range|invalid)/;

const document = JSON.parse(JSON.stringify(openApiDocument({ version: 'test' })));

/** Names of the fields that callers have for a request. */
const fieldsOf = (path: string): readonly string[] =>
  Object.keys(document.paths[path].post.requestBody.content['application/json'].schema.anyOf[0].properties);

describe('every documented body', () => {
  let daemon: TestDaemon<'desk'>;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  beforeAll(async () => {
    ajv.addSchema(document, 'gateway');
    daemon = await TestDaemon.start({
      keys: { desk: { scopes } },
      flags: [...switches, '--sim-clock', 'replay:2026-11-20T02:30:00Z'],
    });
  });
  afterAll(() => daemon.stop());

  const expectAccepted = async (path: string, body: string) => {
    const route = path.replaceAll('/', '~1');
    const validate = ajv.compile({ $ref: `gateway#/paths/${route}/post/requestBody/content/application~1json/schema` });
    expect(validate(JSON.parse(body)), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
    const { status, json } = await daemon.as('desk').request('POST', path, { body });
    // No account here has such a position: who says so has read the body.
    if (/^initial\.position_id: /.test(json.error ?? '')) return;
    expect(`${json.code ?? ''} ${json.error ?? ''}`).not.toMatch(unread);
    expect([200, 403, 409, 429]).toContain(status);
  };

  it.each(rows)('%s %s', expectAccepted);

  it.each(rows)('%s %s, with null for every field that it leaves out', async (path, body) => {
    // As text: account ids are beyond what JSON.parse keeps.
    const given = Object.keys(JSON.parse(body));
    const nulls = fieldsOf(path).filter((name) => !given.includes(name));
    const text = nulls.map((name) => `"${name}":null`).join(',');
    await expectAccepted(path, body === '{}' ? `{${text}}` : body.replace('{', text === '' ? '{' : `{${text},`));
  });
});
