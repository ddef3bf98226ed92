import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { Group } from '../../contract/operation.js';
import type { Caller, Identity } from '../../gateway/index.js';
import { bearerOf, isLoopback } from '../common/http.js';

export const PATH = '/mcp';
export const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];

/** Who sent a message, with what of it holds for everything in the message. */
export interface Visitor {
  readonly caller: Caller;
  readonly identity: Identity;
  /** The groups of tools that it wants to see; undefined = all. */
  readonly toolsets: ReadonlySet<Group> | undefined;
  /** How 64-bit integers are written in texts; structured answers always have strings. */
  readonly int64: Int64Format;
}

/** Names the callers of HTTP requests. Request ids are unique among restarts without costing a random number each. */
export class Callers {
  readonly #prefix = `mcp-${randomBytes(6).toString('base64url')}`;
  #count = 0;

  of({ headers, socket }: IncomingMessage, endpoint: string): Caller {
    const { remoteAddress } = socket;
    return {
      iface: 'mcp',
      endpoint,
      requestId: this.#nextId(),
      peer: { address: remoteAddress ?? '', loopback: isLoopback(remoteAddress) },
      keyText: bearerOf(headers),
    };
  }

  /** The same caller with another question: a tool's call is a request of its own. */
  asking(caller: Caller, endpoint: string): Caller {
    return { ...caller, endpoint, requestId: this.#nextId() };
  }

  #nextId(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count.toString(36)}`;
  }
}
