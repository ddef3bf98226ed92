import type { ClientMessage } from './client-message.js';
import type { Session } from './session.js';

/**
 * The headers that go with a message (MCP, "Streamable HTTP"). A message with an envelope stands for itself: its
 * revision, method and name are repeated for those on the way who do not read bodies. Any other belongs to the session
 * that `initialize` began. A notification without either belongs to the envelopes before it: `lastClaim`.
 */
export function headersFor(message: ClientMessage, session: Session | undefined, lastClaim: string | undefined): Record<string, string> {
  return { ...postHeaders, ...protocolHeaders(message, session, lastClaim) };
}

/** What every POST carries. */
export const postHeaders = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

function protocolHeaders({ claim, method, name }: ClientMessage, session: Session | undefined, lastClaim: string | undefined) {
  if (claim === undefined && method === 'initialize') return {};
  if (claim === undefined && session !== undefined) return sessionHeaders(session);
  const version = claim ?? lastClaim;
  if (version === undefined) return {};
  return {
    ...header('mcp-protocol-version', version),
    ...(method === undefined ? {} : header('mcp-method', method)),
    ...(name === undefined ? {} : { 'mcp-name': encodeName(name) }),
  };
}

/** What every message of a session carries. */
export function sessionHeaders({ id, version }: Pick<Session, 'id' | 'version'>): Record<string, string> {
  return { ...header('mcp-protocol-version', version), ...(id === undefined ? {} : { 'mcp-session-id': id }) };
}

/** Left out where HTTP cannot carry it: the gateway then says what it misses. */
function header(name: string, value: string): Record<string, string> {
  return /^[\x21-\x7e]+$/.test(value) ? { [name]: value } : {};
}

const SENTINEL = /^=\?base64\?.*\?=$/;

/** As it is where it is plain ASCII, else Base64 in a mark (MCP 2026-07-28, "Value Encoding"). */
function encodeName(name: string): string {
  const plain = /^[\t\x20-\x7e]+$/.test(name) && name === name.trim() && !SENTINEL.test(name);
  return plain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}
