import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/get_forex_accounts_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { accountsAt } from './accounts.js';

const OPEN = 1;

/** svc.get_forex_accounts: the accounts at a broker. */
export const getForexAccounts: Answer<never, C2S, S2C> = (_, { brokerId }) => {
  const accounts = accountsAt(brokerId);
  if (accounts instanceof Refusal) return accounts;
  const accountList = accounts.map(({ id, number, currency }) => ({
    brokerId,
    accountId: id,
    accountNumber: number,
    currency,
    status: OPEN,
  }));
  return create(S2CSchema, { accountList });
};
