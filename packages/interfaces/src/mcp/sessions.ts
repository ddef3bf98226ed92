import { randomUUID } from 'node:crypto';
import { isInitializeRequest, type Server } from '@modelcontextprotocol/server';
import { type Clock, every } from '@svc-gateway/contract/clock';
import type { JsonValue } from '@svc-gateway/contract/json/value';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Gateway } from '@svc-gateway/gateway';
import type { HttpCallers } from '../common/callers.js';
import type { Exchange } from '../common/exchange.js';
import type { McpCaller } from './mcp-caller.js';
import { Session } from './session.js';
import { jsonRpcRefusal, writeWebResponse } from './web.js';

export interface SessionsOptions {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
  readonly clock: Clock;
  readonly createServer: (session: Session) => Server;
  readonly onError: (error: Error) => void;
}

const SESSIONS_MAX = 2000;
/** Maximum sessions of one key: it cannot keep the others out. */
const SESSIONS_PER_OWNER_MAX = 1000;
/** Idle time after which a session of a vanished client ends. */
const IDLE_MS_MAX = 30 * 60_000;
const SWEEP_MS = 60_000;
/** Error codes of the protocol library. */
const [BAD_REQUEST, SESSION_NOT_FOUND] = [-32000, -32001];

/** The sessions of the protocol's revisions up to 2025-11-25. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #stopListening: () => void;
  readonly #endSweeps: () => void;

  constructor(private readonly options: SessionsOptions) {
    const { gateway } = options;
    this.#stopListening = gateway.keys.follow(
      () => this.#keysChanged(),
      () => this.#endUnfit(),
    );
    this.#endSweeps = every(options.clock, SWEEP_MS, () => this.#endIdle());
  }

  get count(): number {
    return this.#sessions.size;
  }

  /** Serves one exchange: of the session in its header, or the first of a new one. */
  async serve(exchange: Exchange, body: JsonValue | undefined, mcpCaller: McpCaller): Promise<Rejection | undefined> {
    const id = exchange.request.headers['mcp-session-id'];
    if (id === undefined) {
      if (!isInitializeRequest(body)) {
        const why = 'Mcp-Session-Id header is required; begin with initialize';
        await this.#refuse(exchange, mcpCaller, new Rejection('request.invalid', why), `Bad Request: ${why}`);
        return undefined;
      }
      if (!this.#hasRoom(mcpCaller.identity.owner)) {
        return new Rejection('limit.connections', 'too many open sessions: close some first');
      }
      const session = await this.#open(mcpCaller);
      await session.serve(exchange, body, mcpCaller);
      // The handshake was refused, so the session stays unused.
      if (!session.begun) session.close();
      return undefined;
    }
    const session = this.#sessions.get(String(id));
    // A session of another key is reported as unknown.
    if (session === undefined || session.mcpCaller.identity.owner !== mcpCaller.identity.owner) {
      const why = 'Session not found: begin a new one with initialize';
      await this.#refuse(exchange, mcpCaller, new Rejection('route.not_found', why), why);
      return undefined;
    }
    await session.serve(exchange, body, { ...mcpCaller, toolsets: mcpCaller.toolsets ?? session.mcpCaller.toolsets });
    return undefined;
  }

  /** Ends every session. */
  close(): void {
    this.#endSweeps();
    this.#stopListening();
    for (const session of [...this.#sessions.values()]) session.close();
  }

  /**
   * Makes room for one more session, if possible. Many clients vanish: when all places are taken, the session of the same
   * owner that has been idle longest is ended.
   */
  #hasRoom(owner: string): boolean {
    const own = [...this.#sessions.values()].filter(({ mcpCaller }) => mcpCaller.identity.owner === owner);
    if (this.#sessions.size < SESSIONS_MAX && own.length < SESSIONS_PER_OWNER_MAX) return true;
    const idle = own.flatMap((session) => (session.idleSince === undefined ? [] : [{ session, since: session.idleSince }]));
    const [oldest] = idle.sort((a, b) => a.since - b.since);
    oldest?.session.close();
    return oldest !== undefined;
  }

  async #open(mcpCaller: McpCaller): Promise<Session> {
    const { gateway, callers, createServer, clock, onError } = this.options;
    const onClosed = (closed: Session) => this.#sessions.delete(closed.id);
    const session = await Session.open(randomUUID(), mcpCaller, { gateway, callers, clock, createServer, onClosed, onError });
    this.#sessions.set(session.id, session);
    return session;
  }

  async #refuse({ response }: Exchange, { caller }: McpCaller, rejection: Rejection, message: string): Promise<void> {
    this.options.gateway.admissions.recordRefusal(caller, rejection);
    const code = rejection.code === 'route.not_found' ? SESSION_NOT_FOUND : BAD_REQUEST;
    await writeWebResponse(jsonRpcRefusal(rejection.kind.http, code, message), response, caller.requestId);
  }

  /** Applies a reload to open sessions: those whose key is no longer valid end, the others may have other tools. */
  #keysChanged(): void {
    this.#endUnfit();
    for (const session of this.#sessions.values()) session.toolsChanged();
  }

  /** Ends sessions with invalid keys. */
  #endUnfit(): void {
    for (const session of [...this.#sessions.values()]) {
      if (this.options.gateway.identify(session.mcpCaller.caller) instanceof Rejection) session.close();
    }
  }

  #endIdle(): void {
    const expired = this.options.clock.monotonic() - IDLE_MS_MAX;
    for (const session of [...this.#sessions.values()]) {
      if ((session.idleSince ?? Number.POSITIVE_INFINITY) <= expired) session.close();
    }
  }
}
