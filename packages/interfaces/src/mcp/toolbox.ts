import { nearestName } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import { describeTool, type ToolDescription } from '@svc-gateway/contract/tools';
import { namesInList, type Toolsets, toolsetNames, toolsetsOf, unknownToolset } from '@svc-gateway/contract/toolsets';
import { operationMeant } from '@svc-gateway/contract/trade-words';
import type { Gateway } from '@svc-gateway/gateway';
import type { McpCaller } from './mcp-caller.js';

const TRADING = '--enable-trading';

/** All tools, and the decision which of them a caller sees. */
export class Toolbox {
  readonly #gateway: Gateway;
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #offered: Toolsets;

  /** @param offered Toolsets that the daemon offers. */
  constructor(gateway: Gateway, operations: readonly Operation[], offered: Toolsets) {
    this.#gateway = gateway;
    this.#offered = offered;
    this.#operations = new Map(operations.flatMap((operation) => (operation.tool === null ? [] : [[operation.tool, operation]])));
  }

  /** Tools that a caller can use: by its scopes, the daemon's switches, and the toolsets of both. */
  list(mcpCaller: McpCaller): ToolDescription[] {
    return this.usable(mcpCaller).map(describeTool);
  }

  /** Operations of those tools. */
  usable(mcpCaller: McpCaller): readonly Operation[] {
    return [...this.#operations.values()].filter((operation) => this.offers(operation, mcpCaller));
  }

  /** True if a caller gets the finder's tools in place of all. */
  isDynamic({ toolsets }: McpCaller): boolean {
    return this.#offered.dynamic || toolsets?.dynamic === true;
  }

  /** The operation of a tool, offered or not. */
  declared(name: string): Operation | undefined {
    return this.#operations.get(name);
  }

  /** Finds the operation of a tool, or rejects the name. The gateway checks permission. */
  find(name: string, mcpCaller: McpCaller): Operation | Rejection {
    const operation = this.#operations.get(name);
    if (operation === undefined) {
      const offered = this.list(mcpCaller).map((tool) => tool.name.replace(/^svc_/, ''));
      const nearest = operationMeant(name, offered) ?? nearestName(name.replace(/^svc_/, ''), offered);
      const hint = nearest === undefined ? 'see tools/list' : `did you mean "svc_${nearest}"?`;
      return new Rejection('route.not_found', `unknown MCP tool ${quoted(name)}: ${hint}`);
    }
    if (!this.#isOffered(operation, mcpCaller)) {
      return new Rejection('route.not_found', `unknown MCP tool "${name}": the toolset ${operation.group} is not offered to this client`);
    }
    if (!this.#isEnabled(operation)) {
      return new Rejection('feature_disabled', `${operation.name} is switched off; start the daemon with ${TRADING}`);
    }
    return operation;
  }

  /** Account writes, unlocking included, are tools only if trading is enabled. */
  #isEnabled({ group, effect }: Operation): boolean {
    return group !== 'trade' || effect === 'read' || this.#gateway.isSwitchedOn(TRADING);
  }

  /** True if a caller sees the tool of an operation. */
  offers(operation: Operation, mcpCaller: McpCaller): boolean {
    if (!this.#isOffered(operation, mcpCaller) || !this.#isEnabled(operation)) return false;
    return this.#gateway.mayUse(operation, mcpCaller.caller, mcpCaller.identity);
  }

  #isOffered({ group }: Operation, { toolsets }: McpCaller): boolean {
    return (this.#offered.groups?.has(group) ?? true) && (toolsets?.groups?.has(group) ?? true);
  }
}

/** Parses the toolsets of a client, such as "quote,account"; undefined if it names none. */
export function readToolsets(text: string | readonly string[] | undefined): Toolsets | undefined | Rejection {
  const names = namesInList(String(text ?? ''));
  if (names.length === 0) return undefined;
  const unknown = unknownToolset(names);
  if (unknown === undefined) return toolsetsOf(names);
  const message = `toolsets: unknown toolset ${quoted(unknown)}, accepted: ${toolsetNames.join(', ')}`;
  return new Rejection('request.out_of_range', message, { field: 'X-Svc-Toolsets' });
}
