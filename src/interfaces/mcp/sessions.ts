import { randomUUID } from 'node:crypto';
import { isInitializeRequest, type Server } from '@modelcontextprotocol/server';
import type { Clock } from '../../contract/clock.js';
import type { JsonValue } from '../../contract/json/value.js';
import { Rejection } from '../../contract/rejection.js';
import type { Gateway } from '../../gateway/index.js';
import type { HttpCallers } from '../common/callers.js';
import type { Exchange } from '../common/exchange.js';
import { Session } from './session.js';
import type { SessionSide } from './session-side.js';
import type { Visitor } from './visitor.js';
import { jsonRpcRefusal, writeWebResponse } from './web.js';

export interface SessionsOptions {
  readonly gateway: Gateway;
  readonly callers: HttpCallers;
  readonly clock: Clock;
  readonly createServer: (session: SessionSide) => Server;
  readonly onError: (error: Error) => void;
}

const SESSIONS_MAX = 2000;
/** One key alone cannot keep the others out. */
const SESSIONS_PER_OWNER_MAX = 1000;
/** A client that is gone without a word is forgotten after this. */
const IDLE_MS_MAX = 30 * 60_000;
const SWEEP_MS = 60_000;
/** The codes that the protocol's own library answers with. */
const [BAD_REQUEST, SESSION_NOT_FOUND] = [-32000, -32001];

/** The sessions of the protocol's revisions up to 2025-11-25. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #stopListening: () => void;
  #cancelSweep: () => void;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { gateway } = options;
    const listening = [gateway.onKeyChanges(() => this.#keysChanged()), gateway.onKeyWatch(() => this.#endUnfit())];
    this.#stopListening = () => {
      for (const stop of listening) stop();
    };
    this.#cancelSweep = this.#scheduleSweep();
  }

  get count(): number {
    return this.#sessions.size;
  }

  /** Serves one exchange: of the session that its header names, or the first of a new one. */
  async serve(exchange: Exchange, body: JsonValue | undefined, visitor: Visitor): Promise<Rejection | undefined> {
    const id = exchange.request.headers['mcp-session-id'];
    if (id === undefined) {
      if (!isInitializeRequest(body)) {
        const why = 'Mcp-Session-Id header is required; begin with initialize';
        await this.#refuse(exchange, visitor, new Rejection('request.invalid', why), `Bad Request: ${why}`);
        return undefined;
      }
      if (!this.#hasRoom(visitor.identity.owner)) {
        return new Rejection('limit.connections', 'too many open sessions: close some first');
      }
      const session = await this.#open(visitor);
      await session.serve(exchange, body, visitor);
      // Refused, its client will never learn its id.
      if (!session.begun) session.close();
      return undefined;
    }
    const session = this.#sessions.get(String(id));
    // A session of another key is none of the caller's business.
    if (session === undefined || session.visitor.identity.owner !== visitor.identity.owner) {
      const why = 'Session not found: begin a new one with initialize';
      await this.#refuse(exchange, visitor, new Rejection('route.not_found', why), why);
      return undefined;
    }
    await session.serve(exchange, body, { ...visitor, toolsets: visitor.toolsets ?? session.visitor.toolsets });
    return undefined;
  }

  /** Ends every session. */
  close(): void {
    this.#cancelSweep();
    this.#stopListening();
    for (const session of [...this.#sessions.values()]) session.close();
  }

  /**
   * Whether one more session may begin. Many clients leave without a word: where there is no room, the one of the same
   * owner that has been idle longest makes some.
   */
  #hasRoom(owner: string): boolean {
    const own = [...this.#sessions.values()].filter(({ visitor }) => visitor.identity.owner === owner);
    if (this.#sessions.size < SESSIONS_MAX && own.length < SESSIONS_PER_OWNER_MAX) return true;
    const idle = own.flatMap((session) => (session.idleSince === undefined ? [] : [{ session, since: session.idleSince }]));
    const [oldest] = idle.sort((a, b) => a.since - b.since);
    oldest?.session.close();
    return oldest !== undefined;
  }

  async #open(visitor: Visitor): Promise<Session> {
    const { gateway, callers, createServer, clock, onError } = this.#options;
    const onClosed = (closed: Session) => this.#sessions.delete(closed.id);
    const session = await Session.open(randomUUID(), visitor, { gateway, callers, clock, createServer, onClosed, onError });
    this.#sessions.set(session.id, session);
    return session;
  }

  async #refuse({ response }: Exchange, { caller }: Visitor, rejection: Rejection, message: string): Promise<void> {
    this.#options.gateway.auditRejection(caller, rejection);
    const code = rejection.code === 'route.not_found' ? SESSION_NOT_FOUND : BAD_REQUEST;
    await writeWebResponse(jsonRpcRefusal(rejection.kind.http, code, message), response, caller.requestId);
  }

  /** A reload holds for open sessions at once: those whose key is no good any more end, the others may have other tools. */
  #keysChanged(): void {
    this.#endUnfit();
    for (const session of this.#sessions.values()) session.toolsChanged();
  }

  /** Ends the sessions whose key is no good any more. */
  #endUnfit(): void {
    for (const session of [...this.#sessions.values()]) {
      if (this.#options.gateway.identify(session.visitor.caller) instanceof Rejection) session.close();
    }
  }

  #scheduleSweep(): () => void {
    const { clock } = this.#options;
    return clock.after(SWEEP_MS, () => {
      const expired = clock.monotonic() - IDLE_MS_MAX;
      for (const session of [...this.#sessions.values()]) {
        if ((session.idleSince ?? Number.POSITIVE_INFINITY) <= expired) session.close();
      }
      this.#cancelSweep = this.#scheduleSweep();
    });
  }
}
