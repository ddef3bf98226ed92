import { create } from '@bufbuild/protobuf';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/get_forex_risk_control_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { accountOf } from './accounts.js';
import { bookIn, bookOf, LEVELS, marginLevel, riskStatus } from './book.js';

/** svc.get_forex_risk_control: how far an account's equity reaches. */
export const getForexRiskControl: Answer<'clock' | 'world' | 'market' | 'brokerage', C2S, S2C> = (facts, request) => {
  const account = accountOf(request);
  if (account instanceof Refusal) return account;
  const book = bookIn(facts, bookOf(facts, account), account.currency);
  const level = marginLevel(book);
  return create(S2CSchema, {
    brokerId: account.brokerId,
    accountId: account.id,
    currency: account.currency,
    equity: formatDecimal(book.equity),
    usedMargin: formatDecimal(book.margin),
    freeMargin: formatDecimal(book.free),
    ...known({ marginLevel: level === undefined ? undefined : formatDecimal(level) }),
    marginCallLevel: LEVELS.marginCall.toString(),
    stopOutLevel: LEVELS.stopOut.toString(),
    riskStatus: riskStatus(book),
  });
};
