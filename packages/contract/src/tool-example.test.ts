import { expect, it } from 'vitest';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';
import { requestDecoder } from './request.js';
import { argumentNames } from './tool-arguments.js';

const tools = operations.filter(({ tool }) => tool !== null).map((operation) => [operation.tool, operation] as const);

it.each(tools)('%s misses only arguments that it takes, or fields of its whole message', (_, operation) => {
  const decoded = requestDecoder(operation, 'mcp')({});
  if (decoded.ok || decoded.problem.kind !== 'missing_field') return;
  const taken = argumentNames(operation);
  const fields = operation.messages.C2SSchema.fields.map(({ name }) => snakeCase(name));
  const accepted = new Set([...taken, ...(taken.has('c2s') ? fields : [])]);
  for (const [, name = ''] of decoded.problem.message.matchAll(/"([^"]+)"/g)) expect(accepted).toContain(name.split(/[.[]/)[0]);
});
