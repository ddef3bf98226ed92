import { create } from '@bufbuild/protobuf';
import { type Access, allowsAccount, allowsMarket, type KeyRecord, scopeMask } from '@svc-gateway/access';
import { wholeAccountMarket } from '@svc-gateway/contract/account-market';
import { type TrdAcc, TrdEnv, type TrdHeader, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as AccountsC2S } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { account } from '@svc-gateway/contract/operations';
import type { Backend, CallContext } from './backend.js';
import { limitsOf } from './market-names.js';
import { tradingMarketOf } from './named-markets.js';
import { following, payloadOf, RET_SUCCEED } from './responses.js';

/** Every account of the backend, or why it does not list them; in the same turn where the backend answers in it. */
export function allAccounts(backend: Backend, context: CallContext): readonly TrdAcc[] | string | Promise<readonly TrdAcc[] | string> {
  const query = create(AccountsC2S, { userID: 0n, needGeneralSecAccount: true });
  return following(backend.call(account.listAccounts, query, context), (response) => {
    if (response.retType !== RET_SUCCEED) return `the brokerage does not list the accounts: ${response.retMsg}`;
    return payloadOf(account.listAccounts, response)?.accList ?? [];
  });
}

/** Whether a caller's scopes and limits let it trade in an account. */
export function tradesIn(access: Access, key: KeyRecord | undefined, { accID, trdEnv }: Pick<TrdAcc, 'accID' | 'trdEnv'>): boolean {
  const scope = trdEnv === TrdEnv.TrdEnv_Real ? 'trade:real' : 'trade:simulate';
  return access.authorise(key, scopeMask([scope])) === undefined && limitsOf(access, key).every((limits) => allowsAccount(limits, accID));
}

/** The trading market in which a caller reads an account as a whole: the first that its lists allow, or else the account's first. */
export function readingMarketOf(account: TrdAcc, access: Access, key: KeyRecord | undefined): number {
  const isAllowed = (market: number) => limitsOf(access, key).every((limits) => allowsMarket(limits, tradingMarketOf(market).parts));
  return account.trdMarketAuthList.find(isAllowed) ?? wholeAccountMarket(account);
}

/** An account as requests name it, in the first of its trading markets. */
export function headerOf(account: TrdAcc): TrdHeader {
  const { accID, trdEnv } = account;
  return create(TrdHeaderSchema, { accID, trdEnv, trdMarket: wholeAccountMarket(account) });
}
