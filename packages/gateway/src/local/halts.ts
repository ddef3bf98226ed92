import { create } from '@bufbuild/protobuf';
import type { TradingHalt } from '@svc-gateway/access';
import { AccountCancelsSchema, type C2S as HaltC2S, S2CSchema as HaltS2C } from '@svc-gateway/contract/generated/svc/admin_halt_pb';
import { type C2S as ResumeC2S, S2CSchema as ResumeS2C } from '@svc-gateway/contract/generated/svc/admin_resume_pb';
import { type Halt, HaltSchema } from '@svc-gateway/contract/generated/svc/trading_halt_pb';
import { admin } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Halting } from '../halting.js';
import type { Identity } from '../identity.js';
import { success } from '../responses.js';
import { alone, type LocalOperations } from './index.js';

/** Halts and resumes trading: also while the backend is away. */
export function haltHandlers(halting: Halting): LocalOperations {
  return {
    [admin.adminHalt.name]: alone(async ({ request, identity, context }) => {
      const { keyId, cancelAll, reason } = request as HaltC2S;
      const order = { keyId: keyId || undefined, cancelAll, reason, by: nameOf(identity) };
      const halted = await halting.halt(order, context);
      if (halted instanceof Rejection) return halted;
      const { halt, accounts, failure } = halted;
      const accountList = accounts.map(({ accId, env, orders: orderCount, accepted: acceptedCount, kept, unconfirmed, failure: refused }) =>
        create(AccountCancelsSchema, {
          ...{ accId, env, orderCount, acceptedCount },
          ...(refused === undefined ? {} : { failure: refused }),
          ...(kept === 0 ? {} : { keptCount: kept }),
          ...(unconfirmed === 0 ? {} : { unconfirmedCount: unconfirmed }),
        }),
      );
      const fields = { halt: haltMessage(halt), accountList, ...(failure === undefined ? {} : { failure }) };
      return success(admin.adminHalt, create(HaltS2C, fields));
    }),

    [admin.adminResume.name]: alone(async ({ request, identity, context }) => {
      const { keyId } = request as ResumeC2S;
      const { resumed, halts } = await halting.resume({ keyId: keyId || undefined, by: nameOf(identity) }, context);
      return success(admin.adminResume, create(ResumeS2C, { resumed, haltList: halts.map(haltMessage) }));
    }),
  };
}

/** A halt as answers have it. */
export function haltMessage({ keyId, since, by, reason }: TradingHalt): Halt {
  const fields = { since: new Date(since).toISOString(), by, reason };
  return create(HaltSchema, keyId === null ? fields : { ...fields, keyId });
}

/** Administration needs a key. */
function nameOf({ key }: Identity): string {
  return key === undefined ? 'nobody' : `key "${key.id}"`;
}
