import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { openApiDocument } from './openapi.js';
import { operations } from './operations/index.js';

it('is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

it('describes every route of every operation', () => {
  const { paths } = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))) as { paths: Record<string, Record<string, unknown>> };
  for (const { rest } of operations) for (const { method, path } of rest) expect(paths[path]).toHaveProperty(method.toLowerCase());
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).map((operation) => (operation as { operationId: string }).operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

it('says which ratios are fractions, as published samples show them', () => {
  const { components } = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))) as {
    components: { schemas: Record<string, { properties?: Record<string, { description?: string }> }> };
  };
  const said = Object.entries(components.schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, { description }]) => (description?.startsWith('A fraction') ? [`${name}.${field}`] : [])),
  );
  expect(said).toEqual(
    expect.arrayContaining(['Trd_Common_Position.pl_ratio', 'Trd_Common_Position.average_pl_ratio', 'Qot_Common_KLine.turnover_rate']),
  );
});

it('says what every number of every enumeration means', () => {
  const unnamed: string[] = [];
  const look = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    const { enum: members, description = '' } = value as { enum?: unknown[]; description?: string };
    if (Array.isArray(members)) {
      const numbers = members.filter((member) => typeof member === 'number');
      if (!numbers.every((number) => description.includes(`${number} (`))) unnamed.push(path);
    }
    for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`);
  };
  look(JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))), '');
  expect(unnamed).toEqual([]);
});
