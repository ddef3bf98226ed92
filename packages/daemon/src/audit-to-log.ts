import type { AuditLogOptions, AuditTrade } from '@svc-gateway/access';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { shown } from '@svc-gateway/contract/shown';
import type { Logger } from './log.js';

/** Audit events as entries of the daemon's log. Refusals and trades are news; what was allowed is detail. */
export function auditToLog(logger: Logger): AuditLogOptions['log'] {
  const levels = { allow: 'debug', reject: 'info', trade: 'info' } as const;
  // Looked at once: most events are allowed reads, and most daemons log no details.
  const isLogged = { debug: logger.isLevelEnabled('debug'), info: logger.isLevelEnabled('info') };
  return ({ outcome, iface, endpoint, keyId, reason, code, requestId, trade }) => {
    const level = levels[outcome];
    if (!isLogged[level]) return;
    const line = { target: 'audit', iface, endpoint, key_id: keyId, outcome, reason, code, request_id: requestId };
    logger[level](trade === undefined ? line : { ...line, ...termsOf(trade) }, 'audit');
  };
}

/** Terms of an order under the names of the audit file. Account ids are text: readers of JSON round numbers beyond 2^53. */
function termsOf({ accId, orderId, bracketId, symbol, side, qty, price }: AuditTrade): Record<string, string | number | undefined> {
  return {
    acc_id: String(accId),
    order_id: orderId === undefined ? undefined : shown(orderId),
    bracket_id: bracketId === undefined ? undefined : shown(bracketId),
    symbol: symbol === undefined ? undefined : shown(symbol),
    side,
    qty: qty === undefined ? undefined : decimalToNumber(qty),
    price: price === undefined ? undefined : decimalToNumber(price),
  };
}
