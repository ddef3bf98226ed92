import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { McpCaller } from './mcp-caller.js';

/** Passes the caller along with a message to its handler, inside the protocol library's auth info. */
export function authInfoOf(mcpCaller: McpCaller): AuthInfo {
  const { caller, identity } = mcpCaller;
  return { token: caller.keyText ?? '', clientId: identity.owner, scopes: [], extra: { mcpCaller } };
}

/** Caller of the message that a handler answers. */
export function mcpCallerOf(context: ServerContext): McpCaller {
  const mcpCaller = context.http?.authInfo?.extra?.mcpCaller;
  if (mcpCaller === undefined) throw new Error('a message came without its sender');
  return mcpCaller as McpCaller;
}
