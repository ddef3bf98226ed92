import type { Message } from '@bufbuild/protobuf';
import type { Access, AuditLog } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { isTrade } from '../answer-record.js';
import { auditTrade } from '../orders/sent-writes.js';
import { servesDuringOutage } from '../storage-outage.js';
import type { Entered } from './requests.js';

/** The audit trail where it is required: no write leaves before it has a line of it. */
export class RequiredTrail {
  constructor(private readonly access: Access) {}

  get isRequired(): boolean {
    return this.access.audit.required;
  }

  /** Writes the line of a write that is about to leave; refuses the write where that cannot be written. */
  async announce({ operation, caller, identity: { key }, request }: Entered): Promise<Rejection | undefined> {
    const { audit } = this.access;
    // Whoever looks after the daemon must be able to.
    if (operation.group === 'admin') return undefined;
    const { iface, endpoint, requestId } = caller;
    const trade = isTrade(operation) ? auditTrade(request) : undefined;
    audit.record({ iface, endpoint, keyId: key?.id ?? null, outcome: 'allow', reason: 'admitted, not sent yet', requestId, trade });
    return this.refuseUnrecorded(operation, request);
  }

  /** Refuses a write that the required trail cannot take. A way out is open all the same: the log has its line. */
  async refuseUnrecorded(operation: Operation, request: Message): Promise<Rejection | undefined> {
    const unwritten = await rejectUnwritten(this.access.audit);
    return unwritten !== undefined && servesDuringOutage(operation, request) ? undefined : unwritten;
  }
}

/** The refusal of what has to be in the trail before it leaves; undefined where it is, or need not be. */
export async function rejectUnwritten(audit: AuditLog): Promise<Rejection | undefined> {
  if (!audit.required || (await audit.written()) !== false) return undefined;
  const why = audit.fileStatus()?.failure ?? 'it cannot be written';
  return new Rejection('audit.unavailable', `the required audit log cannot be written: ${why}; nothing was sent`, {
    retryAfterSeconds: 1,
  });
}
