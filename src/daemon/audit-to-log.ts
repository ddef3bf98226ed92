import type { AuditLogOptions } from '../access/index.js';
import type { Logger } from './log.js';

/** Audit events as entries of the daemon's log. Refusals and trades are news; what was allowed is detail. */
export function auditToLog(logger: Logger): AuditLogOptions['log'] {
  return ({ outcome, iface, endpoint, keyId, reason, requestId }) => {
    const level = outcome === 'allow' ? 'debug' : 'info';
    // Looked at first: most events are allowed reads, and most daemons log no details.
    if (!logger.isLevelEnabled(level)) return;
    logger[level]({ target: 'audit', iface, endpoint, key_id: keyId, outcome, reason, request_id: requestId }, 'audit');
  };
}
