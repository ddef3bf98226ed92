import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/get_forex_account_quote_context_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { accountOf } from './accounts.js';

const OPEN = 1;
const CLOSED = 2;

/** svc.get_forex_account_quote_context: which quotes an account deals on, and whether dealing is open. */
export const getForexAccountQuoteContext: Answer<'clock' | 'world', C2S, S2C> = ({ clock, world }, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const isOpen = world.calendar('FX').sessionAt(clock.now()) !== undefined;
  return create(S2CSchema, { retcode: 0, groupName: account.group, systemMode: isOpen ? OPEN : CLOSED });
};
