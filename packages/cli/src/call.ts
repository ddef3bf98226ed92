import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '@svc-gateway/access';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { InexactNumber, isJsonObject, type JsonObject } from '@svc-gateway/contract/json/value';
import type { Operation, RestRoute } from '@svc-gateway/contract/operation';
import { Argument, Command } from 'commander';
import { judge } from './answer.js';
import { exitStatus } from './exit-status.js';
import { findOperation } from './find-operation.js';
import { headerProblem } from './header-text.js';
import { type HttpRequest, send, TIMEOUT_MS } from './http-client.js';
import { layOutJson } from './json-layout.js';
import { resolveTarget, type TargetOptions, withTargetOptions } from './target.js';
import { processTerminal, type Terminal } from './terminal.js';

export interface CallOptions extends TargetOptions {
  readonly idempotencyKey?: string;
  readonly pretty?: true;
  readonly raw?: true;
}

/** `svcctl call <operation> [json]`: one request to the daemon, its answer on stdout as it came. */
export function callCommand(terminal: Terminal = processTerminal): Command {
  const command = withTargetOptions(new Command('call'))
    .description('call any operation and print its response')
    .argument('<operation>', 'name of the operation, such as get_quote ("svcctl operations" lists them)')
    .addArgument(new Argument('[json]', 'request body: JSON, @file, or - for standard input'))
    .option('--idempotency-key <key>', 'makes it safe to repeat a write (default: a new one)')
    .option('--pretty', 'indent the JSON (the default on a terminal)')
    .option('--raw', 'print the response as received (the default otherwise)');
  return command.action(async (name: string, json: string | undefined, options: CallOptions) => {
    const operation = findOperation(name);
    if (!operation.ok) return command.error(`error: ${operation.error}`, { exitCode: exitStatus.usage });
    await callOperation(command, terminal, operation.value, json, options);
  });
}

/** Makes one request of an operation; `json` is its body, `@file` or `-`. Ends the command with the exit status of the outcome. */
export async function callOperation(
  command: Command,
  terminal: Terminal,
  operation: Operation,
  json: string | undefined,
  options: CallOptions,
): Promise<void> {
  const target = resolveTarget(options, terminal.env);
  if (!target.ok) return command.error(`error: ${target.error}`, { exitCode: exitStatus.usage });
  const body = await readBody(json, terminal);
  if (!body.ok) return command.error(`error: ${body.error}`, { exitCode: exitStatus.usage });
  const request = requestFor(operation, body.value, options.idempotencyKey, terminal);
  if (!request.ok) return command.error(`error: ${request.error}`, { exitCode: exitStatus.usage });

  const answer = await send(target.value, request.value, timeoutOf(operation));
  if (!answer.ok) {
    const { status, message } = answer.error;
    return command.error(`error: ${message}${status === exitStatus.unanswered ? outcomeUnknown(request.value) : ''}`, {
      exitCode: status,
    });
  }
  const { status, message } = judge(answer.value);
  // A refusal is printed once: in words, or as JSON if the caller asked for that.
  if (status === exitStatus.ok || options.pretty || options.raw) {
    const pretty = options.pretty ?? (options.raw === undefined && terminal.interactive);
    const text = pretty ? layOutJson(answer.value.body) : answer.value.body;
    terminal.out(text.endsWith('\n') ? text : `${text}\n`);
  }
  if (status === exitStatus.ok) return;
  const told = options.pretty || options.raw ? `HTTP ${answer.value.status}, see the answer` : message;
  return command.error(`error: ${told}${status === exitStatus.unanswered ? outcomeUnknown(request.value) : ''}`, { exitCode: status });
}

/** Timeout of an operation: longer for those that wait, because the daemon ends them itself. */
function timeoutOf({ waits, shape }: Operation): number {
  const type = shape.find(({ field }) => field === waits)?.type;
  return TIMEOUT_MS + (type?.kind === 'integer' ? 1000 * (type.max ?? 0) : 0);
}

interface Body {
  /** JSON text as written: numbers keep every digit. */
  readonly text: string;
  readonly value: JsonObject;
}

async function readBody(argument: string | undefined, terminal: Terminal): Promise<Result<Body | undefined, string>> {
  if (argument === undefined) return ok(undefined);
  let text = argument;
  try {
    if (argument === '-') text = await terminal.readStdin();
    else if (argument.startsWith('@')) text = readFileSync(argument.slice(1), 'utf8');
  } catch (thrown) {
    return err(`the request body cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.error;
    return err(`the request body is not JSON: line ${line}, column ${column}: ${message}\nIn a shell, put it in single quotes.`);
  }
  if (!isJsonObject(parsed.value)) return err('the request body must be a JSON object, such as {"symbol":"HK.00700"}');
  return ok({ text, value: parsed.value });
}

function requestFor(
  operation: Operation,
  body: Body | undefined,
  idempotencyKey: string | undefined,
  terminal: Terminal,
): Result<HttpRequest, string> {
  const route = routeFor(operation, body !== undefined);
  if (route === undefined) throw new Error(`${operation.name} has no REST route`);
  const writes = operation.effect === 'write' || operation.effect === 'order';
  if (idempotencyKey !== undefined && !writes) return err(`${operation.name} changes nothing: --idempotency-key is for writes`);
  const problem = headerProblem(idempotencyKey ?? '');
  if (problem !== undefined) return err(`--idempotency-key: ${problem}`);
  const idempotency = writes ? { idempotencyKey: idempotencyKey ?? terminal.newIdempotencyKey() } : {};
  if (route.method === 'POST') return ok({ method: 'POST', path: route.path, body: body?.text ?? '{}', ...idempotency });
  const query = queryOf(body?.value ?? {});
  return query.ok ? ok({ method: 'GET', path: `${route.path}${query.value}`, ...idempotency }) : query;
}

/** GET for a request without fields, POST if there are fields and a route that takes a body. */
function routeFor({ rest }: Operation, hasBody: boolean): RestRoute | undefined {
  return rest.find(({ method }) => (method === 'POST') === hasBody) ?? rest[0];
}

/** Query string of the fields, for an operation that has a GET route only. */
function queryOf(fields: JsonObject): Result<string, string> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) continue;
    if (typeof value === 'object' && !(value instanceof InexactNumber))
      return err(`${name} must be a single value: this operation is a GET`);
    query.append(name, value instanceof InexactNumber ? value.text : String(value));
  }
  const text = query.toString();
  return ok(text === '' ? '' : `?${text}`);
}

function outcomeUnknown({ idempotencyKey }: HttpRequest): string {
  if (idempotencyKey === undefined) return '';
  return `\nIt may have taken effect. To repeat it safely: --idempotency-key ${idempotencyKey}`;
}
