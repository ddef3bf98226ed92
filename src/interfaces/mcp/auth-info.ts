import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Visitor } from './visitor.js';

/** Passes the visitor along with a message to what handles it, in the protocol library's own parcel. */
export function authInfoOf(visitor: Visitor): AuthInfo {
  const { caller, identity } = visitor;
  return { token: caller.keyText ?? '', clientId: identity.owner, scopes: [], extra: { visitor } };
}

/** Who sent the message that a handler answers. */
export function visitorOf(context: ServerContext): Visitor {
  const visitor = context.http?.authInfo?.extra?.visitor;
  if (visitor === undefined) throw new Error('a message came without its sender');
  return visitor as Visitor;
}
