import { create } from '@bufbuild/protobuf';
import {
  SimAccType,
  type TrdAcc,
  TrdAccRole,
  TrdAccSchema,
  TrdAccStatus,
  TrdAccType,
  TrdCategory,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S, S2C } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { S2CSchema } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { type Account, FIRST_FIRM } from '../../brokerage/account.js';
import { tradeEnvironments, tradeMarkets } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

const trades: Readonly<Record<number, Account['trades']>> = {
  [TrdCategory.TrdCategory_Security]: 'securities',
  [TrdCategory.TrdCategory_Future]: 'futures',
};

/** Trd_GetAccList: every account, or those of one category. */
export const listAccounts: Answer<'brokerage', C2S, S2C> = ({ brokerage }, { trdCategory }) => {
  const wanted = trades[trdCategory];
  if (trdCategory !== TrdCategory.TrdCategory_Unknown && wanted === undefined) {
    return new Refusal(`trdCategory ${trdCategory} is not accepted; accepted: 0 all, 1 securities, 2 futures`, 'broker.value');
  }
  const accList = brokerage.accounts.filter((account) => wanted === undefined || account.trades === wanted).map(accountMessage);
  return create(S2CSchema, { accList });
};

function accountMessage(account: Account): TrdAcc {
  const { environment, trades, type, cardNumber, universalCardNumber, firm = FIRST_FIRM, lacks } = account;
  return create(TrdAccSchema, {
    trdEnv: tradeEnvironments.numberOf(environment),
    accID: account.id,
    trdMarketAuthList: account.markets.map((market) => tradeMarkets.numberOf(market)),
    accType: type === 'cash' ? TrdAccType.TrdAccType_Cash : TrdAccType.TrdAccType_Margin,
    cardNum: cardNumber,
    ...(universalCardNumber === undefined ? {} : { uniCardNum: universalCardNumber }),
    ...(environment === 'real'
      ? { securityFirm: firm }
      : { simAccType: trades === 'futures' ? SimAccType.SimAccType_Futures : SimAccType.SimAccType_Stock }),
    accStatus: lacks === 'permission' ? TrdAccStatus.TrdAccStatus_Disabled : TrdAccStatus.TrdAccStatus_Active,
    accRole: TrdAccRole.TrdAccRole_Normal,
  });
}
