import { nearestName } from '../../contract/names.js';
import type { Operation } from '../../contract/operation.js';
import { Rejection } from '../../contract/rejection.js';
import { quoted } from '../../contract/shown.js';
import { describeTool, type ToolDescription } from '../../contract/tools.js';
import type { Toolsets } from '../../contract/toolsets.js';
import type { Gateway } from '../../gateway/index.js';
import type { Visitor } from './visitor.js';

const TRADING = '--enable-trading';

/** The tools: every declared operation that has one. Which of them a caller gets to see is decided here. */
export class Toolbox {
  readonly #gateway: Gateway;
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #offered: Toolsets;

  /** `offered`: what the daemon offers at all. */
  constructor(gateway: Gateway, operations: readonly Operation[], offered: Toolsets) {
    this.#gateway = gateway;
    this.#offered = offered;
    this.#operations = new Map(operations.flatMap((operation) => (operation.tool === null ? [] : [[operation.tool, operation]])));
  }

  /** What a caller can use: by its scopes, the daemon's switches, and the toolsets of both. */
  list(visitor: Visitor): ToolDescription[] {
    return this.usable(visitor).map(describeTool);
  }

  /** The operations of those tools. */
  usable(visitor: Visitor): readonly Operation[] {
    return [...this.#operations.values()].filter((operation) => this.offers(operation, visitor));
  }

  /** Whether a caller looks for tools instead of being shown all. */
  isDynamic({ toolsets }: Visitor): boolean {
    return this.#offered.dynamic || toolsets?.dynamic === true;
  }

  /** The operation of a tool, or why there is none. Whether the caller may use it is the gateway's to say. */
  find(name: string, visitor: Visitor): Operation | Rejection {
    const operation = this.#operations.get(name);
    if (operation === undefined) {
      const nearest = nearestName(
        name,
        this.list(visitor).map((tool) => tool.name),
      );
      const hint = nearest === undefined ? 'see tools/list' : `did you mean "${nearest}"?`;
      return new Rejection('route.not_found', `unknown MCP tool ${quoted(name)}: ${hint}`);
    }
    if (!this.#isOffered(operation, visitor)) {
      return new Rejection('route.not_found', `unknown MCP tool "${name}": the toolset ${operation.group} is not offered to this client`);
    }
    if (!this.#isEnabled(operation)) {
      return new Rejection('feature_disabled', `${operation.name} is switched off; start the daemon with ${TRADING}`);
    }
    return operation;
  }

  /** Whatever writes to an account is a tool only where trading is on, unlocking included. */
  #isEnabled({ group, effect }: Operation): boolean {
    return group !== 'trade' || effect === 'read' || this.#gateway.isSwitchedOn(TRADING);
  }

  /** Whether a caller gets to see the tool of an operation. */
  offers(operation: Operation, visitor: Visitor): boolean {
    if (!this.#isOffered(operation, visitor) || !this.#isEnabled(operation)) return false;
    return this.#gateway.mayUse(operation, visitor.caller, visitor.identity);
  }

  #isOffered({ group }: Operation, { toolsets }: Visitor): boolean {
    return (this.#offered.groups?.has(group) ?? true) && (toolsets?.groups?.has(group) ?? true);
  }
}
