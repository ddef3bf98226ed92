import type { AuditLogOptions } from '../access/index.js';
import type { Logger } from './log.js';

/** Audit events as entries of the daemon's log. Refusals and trades are news; what was allowed is detail. */
export function auditToLog(logger: Logger): AuditLogOptions['log'] {
  const levels = { allow: 'debug', reject: 'info', trade: 'info' } as const;
  // Looked at once: most events are allowed reads, and most daemons log no details.
  const isLogged = { debug: logger.isLevelEnabled('debug'), info: logger.isLevelEnabled('info') };
  return ({ outcome, iface, endpoint, keyId, reason, requestId }) => {
    const level = levels[outcome];
    if (isLogged[level])
      logger[level]({ target: 'audit', iface, endpoint, key_id: keyId, outcome, reason, request_id: requestId }, 'audit');
  };
}
