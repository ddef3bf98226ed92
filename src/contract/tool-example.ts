import { paramSchema, type SchemaValue } from './json-schema.js';
import type { Operation } from './operation.js';
import { exampleRequest } from './reference-example.js';
import { requestDecoder } from './request.js';
import { callerParams } from './shape.js';
import { requiredArguments } from './tool-arguments.js';

const examples = new WeakMap<Operation, string>();

/** Arguments with which a tool can be called, as JSON text; empty where its own arguments cannot say enough. Made on first use. */
export function toolExample(operation: Operation): string {
  let example = examples.get(operation);
  if (example === undefined) {
    example = textOf(operation);
    examples.set(operation, example);
  }
  return example;
}

function textOf(operation: Operation): string {
  const properties: Record<string, SchemaValue> = {};
  // Examples of values are in the schemas of REST; members of enumerations have their names.
  for (const param of callerParams(operation.shape, 'mcp')) {
    const isNamed = param.type.kind === 'choice' || param.type.kind === 'choices';
    properties[param.name] = paramSchema(param, isNamed ? 'mcp' : 'rest');
  }
  const required = requiredArguments(operation).map(({ name }) => name);
  const example = exampleRequest(operation, { friendly: { properties, required }, message: {}, resolve: () => ({}) }, 'mcp');
  return requestDecoder(operation, 'mcp')(example as never).ok ? JSON.stringify(example) : '';
}
