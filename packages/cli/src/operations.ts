import type { DescMessage } from '@bufbuild/protobuf';
import { listAccepted } from '@svc-gateway/contract/enums';
import { snakeCase } from '@svc-gateway/contract/names';
import { needHint } from '@svc-gateway/contract/needs';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { possibleScopes } from '@svc-gateway/contract/scope';
import { screenFieldText } from '@svc-gateway/contract/screen-numbers';
import { callerParams, type Param, type ParamType } from '@svc-gateway/contract/shape';
import { Command } from 'commander';
import { exitStatus } from './exit-status.js';
import { findOperation } from './find-operation.js';
import { processTerminal, type Terminal } from './terminal.js';

/** `svcctl operations [name]`: lists the operations of `svcctl call`, or the fields of one. */
export function operationsCommand(terminal: Terminal = processTerminal): Command {
  const command = new Command('operations')
    .description('list the operations, or the fields of one')
    .argument('[operation]', 'show the fields of this one')
    .option('--json', 'print JSON');
  return command.action((name: string | undefined, options: { readonly json?: true }) => {
    if (name === undefined) {
      terminal.out(options.json ? `${JSON.stringify(operations.map(summaryOf), null, 2)}\n` : operationTable());
      return;
    }
    const found = findOperation(name);
    if (!found.ok) return command.error(`error: ${found.error}`, { exitCode: exitStatus.usage });
    const operation = found.value;
    const [fields, numbers] = [fieldsOf(operation), numbersOf(operation)];
    terminal.out(
      options.json
        ? `${JSON.stringify({ ...summaryOf(operation), fields, ...(numbers.length === 0 ? {} : { numbers }) }, null, 2)}\n`
        : operationText(operation, fields, numbers),
    );
  });
}

interface OperationSummary {
  readonly name: string;
  readonly group: string;
  readonly effect: string;
  /** Scopes, each of which suffices. */
  readonly scopes: readonly string[];
  readonly switches: readonly string[];
  /** Routes, such as "POST /api/quote". */
  readonly routes: readonly string[];
  readonly summary: string;
}

function summaryOf({ name, group, effect, scope, switches, rest, summary }: Operation): OperationSummary {
  const scopes = possibleScopes(scope);
  return { name, group, effect, scopes, switches, routes: rest.map(({ method, path }) => `${method} ${path}`), summary };
}

function operationTable(): string {
  const width = Math.max(...operations.map(({ name }) => name.length));
  const groups = [...new Set(operations.map(({ group }) => group))];
  return groups
    .map((group) => {
      const members = operations.filter((operation) => operation.group === group);
      return `${group}\n${members.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('')}`;
    })
    .join('\n');
}

interface FieldSummary {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: string;
  readonly about: string;
}

function fieldsOf(operation: Operation): FieldSummary[] {
  return callerParams(operation.shape, 'rest').map((param) => ({
    name: param.name,
    aliases: param.aliases,
    type: typeOf(param),
    about: [needHint(operation.shape, operation.needs, param, 'rest'), param.about].filter((part) => part !== '').join(' '),
  }));
}

interface NumberSummary {
  /** Paths within the message (`c2s`) of the fields that take the same numbers. */
  readonly fields: readonly string[];
  readonly about: string;
}

/** Numbers of the figures in a screen's message, with their meanings. */
function numbersOf({ messages: { C2SSchema } }: Operation): NumberSummary[] {
  const byText = new Map<string, string[]>();
  const look = (desc: DescMessage, path: string, above: readonly DescMessage[]): void => {
    if (above.includes(desc)) return;
    for (const field of desc.fields) {
      const at = `${path}${snakeCase(field.name)}`;
      if (field.message !== undefined) look(field.message, `${at}.`, [...above, desc]);
      const text = screenFieldText(field);
      if (text !== undefined) byText.set(text, [...(byText.get(text) ?? []), at]);
    }
  };
  look(C2SSchema, '', []);
  return [...byText].map(([about, fields]) => ({ fields, about }));
}

function operationText(operation: Operation, fields: readonly FieldSummary[], numbers: readonly NumberSummary[]): string {
  const { name, scopes, switches, routes, summary } = summaryOf(operation);
  const rows = fields.map(({ name, type, about }) => [name, type, about] as const);
  const [nameWidth, typeWidth] = [0, 1].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length))) as [number, number];
  const lines = [
    `${name}: ${summary}`,
    ...routes.map((route) => `  ${route}`),
    `  needs ${[scopes.join(' or ') || 'no scope', ...switches].join(', ')}`,
    '',
    ...(rows.length === 0
      ? ['no fields']
      : rows.map(([field, type, about]) => `  ${field.padEnd(nameWidth)}  ${type.padEnd(typeWidth)}  ${about}`)),
    ...numbers.flatMap(({ fields: paths, about }) => ['', `c2s: ${paths.join(', ')}`, `  ${about}`]),
  ];
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function typeOf(param: Param): string {
  const bounds = boundsOf(param.type);
  const marks = [...(bounds === '' ? [] : [bounds]), ...(param.required ? ['required'] : [])];
  return [wordOf(param.type), ...marks].join(', ');
}

function wordOf(type: ParamType): string {
  switch (type.kind) {
    case 'symbol':
    case 'order_symbol':
      return 'MARKET.CODE';
    case 'symbols':
      return 'list of MARKET.CODE';
    case 'choice':
      return 'number';
    case 'choices':
      return 'list of numbers';
    case 'text':
    case 'code':
    case 'bytes':
      return 'string';
    case 'texts':
      return 'list of strings';
    case 'id':
    case 'timestamp':
      return 'whole number';
    case 'ids':
      return 'list of whole numbers';
    case 'integer':
      return 'whole number';
    case 'time':
      return 'time';
    case 'number':
    case 'boolean':
      return type.kind;
  }
}

function boundsOf(type: ParamType): string {
  if (type.kind === 'choice' || type.kind === 'choices') {
    return listAccepted(type.enumeration, 'rest');
  }
  if (type.kind !== 'integer' && type.kind !== 'number') return '';
  const { min, max } = type;
  if (min === undefined) return max === undefined ? '' : `at most ${max}`;
  return max === undefined ? `at least ${min}` : `${min} to ${max}`;
}
