import { describe, expect, it } from 'vitest';
import { parseJson } from './json/parse.js';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';
import { requestDecoder } from './request.js';
import { argumentNames, requiredArguments } from './tool-arguments.js';
import { toolExample } from './tool-example.js';

const tools = operations.filter(({ tool }) => tool !== null).map((operation) => [operation.tool, operation] as const);

describe('an example call', () => {
  it.each(tools.filter(([, operation]) => requiredArguments(operation).length > 0))(
    'of %s is accepted and has what is required',
    (_, operation) => {
      const example = parseJson(toolExample(operation));
      if (!example.ok) throw new Error(toolExample(operation));
      const whole = (example.value as Record<string, unknown>).c2s;
      for (const { name } of requiredArguments(operation)) if (whole === undefined) expect(example.value).toHaveProperty(name);
      expect(requestDecoder(operation, 'mcp')(example.value).ok).toBe(true);
    },
  );
});

it.each(tools)('%s misses only arguments that it takes, or fields of its whole message', (_, operation) => {
  const decoded = requestDecoder(operation, 'mcp')({});
  if (decoded.ok || decoded.problem.kind !== 'missing_field') return;
  const taken = argumentNames(operation);
  const fields = operation.messages.C2SSchema.fields.map(({ name }) => snakeCase(name));
  const accepted = new Set([...taken, ...(taken.has('c2s') ? fields : [])]);
  for (const [, name = ''] of decoded.problem.message.matchAll(/"([^"]+)"/g)) expect(accepted).toContain(name.split(/[.[]/)[0]);
});
