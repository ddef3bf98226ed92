import { atLeastZero, type Decimal, lesser } from '@svc-gateway/contract/decimal';
import { CURRENCY_USDT } from '@svc-gateway/contract/enums';
import {
  CltRiskLevel,
  CltRiskStatus,
  SimAccType,
  TrdAccRole,
  TrdAccStatus,
  TrdAccType,
  TrdCategory,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as AccountList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import * as GetFunds from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { type Account, currenciesOf, FIRST_FIRM } from '../../brokerage/account.js';
import type { Brokerage } from '../../brokerage/index.js';
import { stockInitialPercent } from '../../brokerage/margin.js';
import { currencies, type TradeMarket, tradeEnvironments, tradeMarkets } from '../../brokerage/terms.js';
import { freeMargin, type Valuation } from '../../brokerage/valuation.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { ofAccount, shownIn } from './amounts.js';

const trades: Readonly<Record<number, Account['trades']>> = {
  [TrdCategory.TrdCategory_Security]: 'securities',
  [TrdCategory.TrdCategory_Future]: 'futures',
};

/** Trd_GetAccList: every account, or those of one category. */
export const listAccounts: Answer<'brokerage', AccountList.C2S, AccountList.S2C> = ({ brokerage }, { trdCategory }) => {
  const wanted = trades[trdCategory];
  if (trdCategory !== TrdCategory.TrdCategory_Unknown && wanted === undefined) {
    return new Refusal(`trdCategory ${trdCategory} is not accepted; accepted: 0 all, 1 securities, 2 futures`, 'broker.value');
  }
  const accList = brokerage.accounts.filter((account) => wanted === undefined || account.trades === wanted).map(accountMessage);
  return messageOf(AccountList.S2CSchema, { accList });
};

function accountMessage(account: Account) {
  const { environment, trades, type, cardNumber, universalCardNumber, firm = FIRST_FIRM, lacks } = account;
  return {
    trdEnv: tradeEnvironments.numberOf(environment),
    accID: account.id,
    trdMarketAuthList: account.markets.map((market) => tradeMarkets.numberOf(market)),
    accType: type === 'cash' ? TrdAccType.TrdAccType_Cash : TrdAccType.TrdAccType_Margin,
    cardNum: cardNumber,
    uniCardNum: universalCardNumber,
    ...(environment === 'real'
      ? { securityFirm: firm }
      : { simAccType: trades === 'futures' ? SimAccType.SimAccType_Futures : SimAccType.SimAccType_Stock }),
    accStatus: lacks === 'permission' ? TrdAccStatus.TrdAccStatus_Disabled : TrdAccStatus.TrdAccStatus_Active,
    accRole: TrdAccRole.TrdAccRole_Normal,
  };
}

/** Trd_GetFunds: assets, buying power and margin, summed in the currency asked for (by default the account's). */
export const getFunds: Answer<'brokerage', GetFunds.C2S, GetFunds.S2C> = ofAccount(({ brokerage }, to, request) => {
  const currency = request.currency === 0 ? to.account.base : currencies.wordOf(request.currency);
  if (request.currency === CURRENCY_USDT)
    return new Refusal(`account ${to.account.id} has no crypto assets: its funds are not shown in USDT`, 'broker.value');
  if (currency === undefined) return new Refusal(currencies.unknown(request.currency), 'broker.enumeration');
  const own = currenciesOf(to.account);
  // Accounts of one currency are always shown in it, as the protocol has it.
  const shown = own.length === 1 ? to.account.base : currency;
  if (!own.includes(shown))
    return new Refusal(`account ${to.account.id} has no ${shown}; its currencies: ${own.join(', ')}`, 'broker.value');
  const answer = messageOf(GetFunds.S2CSchema, { header: to.header, funds: fundsOf(brokerage, to.account, shown) });
  return brokerage.records.journal.whenDurable(answer);
});

function fundsOf(brokerage: Brokerage, account: Account, currency: Currency) {
  const { valuer } = brokerage;
  const value = valuer.valuation(account, currency);
  const free = atLeastZero(account.type === 'cash' ? value.cash - value.frozenCash : freeMargin(value));
  const isFutures = account.trades === 'futures';
  const lends = account.type === 'margin' && !isFutures;
  const cashFree = atLeastZero(value.cash - value.frozenCash);
  const withdrawable = lesser(atLeastZero(value.withdrawable - value.frozenCash), free);
  const n = shownIn(currency);
  return {
    power: n(lends ? (free * 100n) / stockInitialPercent.long : free),
    totalAssets: n(value.netAssets),
    cash: n(value.cash),
    marketVal: n(value.longValue + value.shortValue),
    frozenCash: n(value.frozenCash),
    debtCash: n(value.debt),
    avlWithdrawalCash: n(withdrawable),
    currency: currencies.numberOf(currency),
    netCashPower: n(cashFree),
    cashInfoList: currenciesOf(account).map((held) => cashInfo(brokerage, account, held)),
    longMv: n(value.longValue),
    shortMv: n(value.shortValue),
    pendingAsset: n(value.dividends),
    maxWithdrawal: n(withdrawable),
    ...(lends ? { maxPowerShort: n((free * 100n) / stockInitialPercent.short) } : {}),
    ...(account.type === 'margin' ? marginFigures(value, free, n) : {}),
    ...(isFutures
      ? { availableFunds: n(free), unrealizedPL: n(value.unrealised), realizedPL: n(value.realised), riskLevel: riskLevel(value) }
      : {
          riskStatus: riskStatus(account, value),
          securitiesAssets: n(value.netAssets),
          fundAssets: 0,
          bondAssets: 0,
          marketInfoList: marketInfo(brokerage, account, currency),
        }),
  };
}

function marginFigures(value: Valuation, free: Decimal, n: ReturnType<typeof shownIn>) {
  return {
    initialMargin: n(value.initialMargin + value.reservedMargin),
    maintenanceMargin: n(value.maintenanceMargin),
    marginCallMargin: n(value.marginCallMargin),
    availableFunds: n(free),
  };
}

function cashInfo({ records }: Brokerage, account: Account, currency: Currency) {
  const { cash, withdrawable } = records.money.balances(account.id, currency);
  const frozen = records.ledger.frozen(account, currency);
  const n = shownIn(currency);
  return {
    currency: currencies.numberOf(currency),
    cash: n(cash),
    availableBalance: n(atLeastZero(withdrawable - frozen)),
    netCashPower: n(atLeastZero(cash - frozen)),
  };
}

function marketInfo({ records, valuer }: Brokerage, account: Account, currency: Currency) {
  const assets = new Map<TradeMarket, Decimal>(account.markets.map((market) => [market, 0n]));
  for (const position of records.ledger.positions(account)) {
    if (position.quantity === 0n) continue;
    const { instrument, value } = valuer.value(position);
    assets.set(position.tradeMarket, (assets.get(position.tradeMarket) ?? 0n) + valuer.rates.convert(value, instrument.currency, currency));
  }
  const n = shownIn(currency);
  return [...assets].map(([market, sum]) => ({ trdMarket: tradeMarkets.numberOf(market), assets: n(sum) }));
}

function riskLevel({ netAssets, initialMargin, maintenanceMargin }: Valuation): CltRiskLevel {
  if (initialMargin === 0n) return CltRiskLevel.CltRiskLevel_AbsoluteSafe;
  if (netAssets < maintenanceMargin) return CltRiskLevel.CltRiskLevel_Danger;
  return netAssets < initialMargin ? CltRiskLevel.CltRiskLevel_Warning : CltRiskLevel.CltRiskLevel_Safe;
}

/** From 1, nothing owed or margined, to 9, below the maintenance margin: by how much of the net assets maintenance takes. */
function riskStatus(account: Account, { netAssets, maintenanceMargin }: Valuation): CltRiskStatus {
  if (account.type === 'cash' || maintenanceMargin === 0n) return CltRiskStatus.CltRiskStatus_Level1;
  if (netAssets <= maintenanceMargin) return CltRiskStatus.CltRiskStatus_Level9;
  return 1 + Number((maintenanceMargin * 8n) / netAssets);
}
