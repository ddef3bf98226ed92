import { create } from '@bufbuild/protobuf';
import { type Security, SecuritySchema } from './generated/Qot_Common_pb.js';
import { parseSymbol } from './markets.js';

/** The protocol's Security of a symbol, "HK.00700"; undefined for a text that is none. */
export function securityOf(symbol: string): Security | undefined {
  const named = parseSymbol(symbol);
  return named === undefined ? undefined : create(SecuritySchema, { market: named.market.number, code: named.code });
}

/** As {@link securityOf}, of a symbol that has been read before. Throws where it is none. */
export function requireSecurity(symbol: string): Security {
  const security = securityOf(symbol);
  if (security === undefined) throw new Error(`${symbol} is no symbol`);
  return security;
}
