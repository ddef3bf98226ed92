import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { unknownField } from '@svc-gateway/contract/json/message-json';
import { describeJson, isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { groups } from '@svc-gateway/contract/operation';
import { collectProblem, exemplified, stop } from '@svc-gateway/contract/problem';
import { Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { describeTool, type ToolDescription, wholeTool } from '@svc-gateway/contract/tools';
import { matching } from './finder-match.js';
import type { McpCaller } from './mcp-caller.js';
import { rejectionResult, textResult } from './result.js';
import type { Session } from './session.js';
import type { Toolbox } from './toolbox.js';

type Answer = CallToolResult | InputRequiredResult;

/** Caller of one of the finder's tools, and its way to call another. */
export interface FinderCall {
  readonly mcpCaller: McpCaller;
  /** Undefined in a revision without sessions, where nothing can be enabled. */
  readonly session: Session | undefined;
  readonly call: (name: string, args: JsonObject | undefined) => Promise<Answer>;
}

const FOUND_DEFAULT = 10;
const FOUND_MAX = 50;
const DESCRIBED_MAX = 10;
const text = { type: 'string' } as const;
const names = { type: 'array', items: text, maxItems: FOUND_MAX } as const;

const find: ToolDescription = {
  name: 'svc_find_tools',
  title: 'Find tools',
  description:
    'Finds the tools for a task among all that this gateway has: quotes, K-lines, option chains, screens, rankings, calendars, news, company research, accounts, orders. Gives names and one sentence each. Start here.',
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        description: 'What it should do, in a few words: "option chain", "cash flow of an account". All when omitted.',
      },
      toolset: { type: 'string', enum: [...groups] },
      limit: { type: 'integer', minimum: 1, maximum: FOUND_MAX, default: FOUND_DEFAULT },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const describe: ToolDescription = {
  name: 'svc_describe_tools',
  title: 'Describe tools',
  description: `Explains up to ${DESCRIBED_MAX} tools: their guide and the schema of their arguments. Call it before svc_call_tool. The address svc://tools/{name} has the schema of the answer too.`,
  inputSchema: { type: 'object', properties: { names: { ...names, maxItems: DESCRIBED_MAX } }, required: ['names'] },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const callTool: ToolDescription = {
  name: 'svc_call_tool',
  title: 'Call a tool',
  description:
    'Calls any tool by its name, as if it were listed: its scopes, limits, previews and confirmations hold. Call svc_describe_tools first; its schema says what goes into arguments.',
  inputSchema: { type: 'object', properties: { name: text, arguments: { type: 'object' } }, required: ['name'] },
  annotations: {},
};

const enable: ToolDescription = {
  name: 'svc_enable_tools',
  title: 'Enable tools',
  description:
    'Puts tools on the list for the rest of this session, so that they can be called by their own names: those that are named, or a whole toolset. Worth it for tools that are called often; for one call use svc_call_tool.',
  inputSchema: { type: 'object', properties: { names, toolset: { type: 'string', enum: [...groups] } } },
  annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** Arguments with which each can be called, for errors about missing ones. */
const examples: Readonly<Record<string, string>> = {
  [describe.name]: JSON.stringify({ names: ['svc_get_kline'] }),
  [callTool.name]: JSON.stringify({ name: 'svc_get_kline', arguments: { symbol: 'HK.00700' } }),
  [enable.name]: JSON.stringify({ names: ['svc_get_kline'] }),
};

/**
 * A handful of tools in place of all: the list costs a model the same, however many tools there are. They
 * change only the list; permissions and behaviour of the tools stay.
 */
export class Finder {
  readonly #tools = new Map([find, describe, enable, callTool].map((tool) => [tool.name, tool]));

  constructor(private readonly toolbox: Toolbox) {}

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** The tool list of a caller: these tools, and those that its session has enabled. */
  list(mcpCaller: McpCaller, session: Session | undefined): ToolDescription[] {
    const own = [...this.#tools.values()].filter((tool) => session !== undefined || tool !== enable);
    return [...own, ...this.toolbox.list(mcpCaller).filter(({ name }) => session?.enabled.has(name))];
  }

  async call(name: string, args: JsonObject | undefined, call: FinderCall): Promise<Answer> {
    const tool = this.#tools.get(name);
    const { requestId } = call.mcpCaller.caller;
    const read = collectProblem(() => {
      const given = args ?? {};
      const known = Object.keys(tool?.inputSchema.properties ?? {});
      for (const each of Object.keys(given)) if (!known.includes(each)) unknownField(each, each, known);
      return this.#prepare(name, given, call);
    });
    if (!read.ok) return rejectionResult(rejectProblem(exemplified(read.problem, examples[name])), requestId);
    const answer = await read.value();
    return answer instanceof Rejection ? rejectionResult(answer, requestId) : answer;
  }

  /** Parses the arguments and returns the work to do. */
  #prepare(
    name: string,
    args: JsonObject,
    { mcpCaller, session, call }: FinderCall,
  ): () => Promise<Answer | Rejection> | Answer | Rejection {
    switch (name) {
      case find.name: {
        const query = optionalText('query', args.query) ?? '';
        const toolset = toolsetIn(args.toolset);
        const limit = limitIn(args.limit);
        return () => written(this.#find(query, toolset, limit, mcpCaller));
      }
      case describe.name: {
        const wanted = namesIn(args.names, DESCRIBED_MAX);
        return () => this.#describe(wanted, mcpCaller);
      }
      case callTool.name: {
        const called = optionalText('name', args.name);
        if (called === undefined) stop('missing_field', 'name', 'missing field "name"');
        const inner = args.arguments ?? undefined;
        if (inner !== undefined && !isJsonObject(inner)) {
          stop('wrong_type', 'arguments', `arguments: expected an object, found ${describeJson(inner)}`);
        }
        return this.has(called)
          ? () => new Rejection('request.invalid', `name: ${quoted(called)} is called by itself`, { field: 'name' })
          : () => call(called, inner);
      }
      default: {
        const wanted = args.names === undefined ? [] : namesIn(args.names, FOUND_MAX);
        const toolset = toolsetIn(args.toolset);
        if (wanted.length === 0 && toolset === undefined) stop('missing_field', 'names', 'missing field "names": name tools or a toolset');
        return () => this.#enable(wanted, toolset, mcpCaller, session);
      }
    }
  }

  #find(query: string, toolset: string | undefined, limit: number, mcpCaller: McpCaller): JsonObject {
    const usable = this.toolbox.usable(mcpCaller).filter(({ group }) => toolset === undefined || group === toolset);
    const found = matching(usable, query);
    return {
      tools: found.slice(0, limit).map(({ tool, group, summary }) => ({ name: tool ?? '', toolset: group, summary })),
      found: found.length,
      total: usable.length,
    };
  }

  #describe(wanted: readonly string[], mcpCaller: McpCaller): Answer | Rejection {
    const tools: JsonObject[] = [];
    for (const name of wanted) {
      const operation = this.#usable(name, mcpCaller);
      if (operation instanceof Rejection) return operation;
      const { description, inputSchema } = wholeTool(operation);
      tools.push({ name, description, inputSchema: inputSchema as JsonObject, annotations: { ...describeTool(operation).annotations } });
    }
    return written({ tools });
  }

  #enable(wanted: readonly string[], toolset: string | undefined, mcpCaller: McpCaller, session: Session | undefined): Answer | Rejection {
    if (session === undefined) {
      return new Rejection('request.invalid', 'nothing can be enabled without a session: use svc_call_tool');
    }
    const enabled = this.toolbox.usable(mcpCaller).flatMap(({ group, tool }) => (group === toolset && tool !== null ? [tool] : []));
    for (const name of wanted) {
      const operation = this.#usable(name, mcpCaller);
      if (operation instanceof Rejection) return operation;
      enabled.push(name);
    }
    for (const name of enabled) session.enabled.add(name);
    session.toolsChanged();
    return written({ enabled });
  }

  /** The operation of a tool that the caller can use; other tools count as unknown. */
  #usable(name: string, mcpCaller: McpCaller): Operation | Rejection {
    const operation = this.toolbox.find(name, mcpCaller);
    if (operation instanceof Rejection || this.toolbox.offers(operation, mcpCaller)) return operation;
    return new Rejection('auth.scope', `the key lacks the scope of ${name}`);
  }
}

function written(answer: JsonObject): CallToolResult {
  return textResult(() => JSON.stringify(answer), 'string');
}

function optionalText(name: string, value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  stop('wrong_type', name, `${name}: expected a string, found ${describeJson(value)}`);
}

function toolsetIn(value: JsonValue | undefined): string | undefined {
  const name = optionalText('toolset', value);
  if (name === undefined || groups.some((group) => group === name)) return name;
  stop('out_of_range', 'toolset', `toolset: expected one of ${groups.join(', ')}, found ${quoted(name)}`);
}

function limitIn(value: JsonValue | undefined): number {
  if (value === undefined || value === null) return FOUND_DEFAULT;
  const accepted = `limit: expected an integer of 1 to ${FOUND_MAX}, found ${describeJson(value)}`;
  if (typeof value !== 'number') stop('wrong_type', 'limit', accepted);
  if (!Number.isInteger(value) || value < 1 || value > FOUND_MAX) stop('out_of_range', 'limit', accepted);
  return value;
}

function namesIn(value: JsonValue | undefined, max: number): readonly string[] {
  if (value === undefined || value === null) stop('missing_field', 'names', 'missing field "names"');
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.some((name) => typeof name !== 'string')) {
    stop('wrong_type', 'names', `names: expected an array of strings, found ${describeJson(value)}`);
  }
  if (list.length === 0 || list.length > max) stop('out_of_range', 'names', `names: expected 1 to ${max} names, found ${list.length}`);
  return list as readonly string[];
}
