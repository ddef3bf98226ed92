import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { SecuritySchema } from './generated/Qot_Common_pb.js';

/**
 * Class of a request field, for allowlists: declared here, message by message, and never guessed from names or enumerations.
 * An operation with an unclassified field is refused at its declaration.
 *
 * - `none`: no subject of a list.
 * - `security`: a `Security` by market and code. `plate`: the same of a plate, whose members the request does not name.
 * - `stock_id`: a security by a number that says nothing of its market.
 * - `traded_code`: a code whose market the trading header and `sec_market` say.
 * - `quote_market`, `trading_market`, `calendar`: a market as a whole, by Qot_Common.QotMarket, Trd_Common.TrdMarket and
 *   Qot_Common.TradeDateMarket. One that is left open, or 0, is every market; so is a list of none.
 * - `stock_market`: the same as a stock screen has it, which takes Shanghai and Shenzhen for one.
 * - `cancel_market`: the trading market of a cancel of all orders, and of nothing else.
 * - `forex_broker`: a broker of leveraged forex, and so the forex market, as far as accounts have part in it.
 * - `forex`: whatever it holds, the request is about quotes of the forex market.
 * - `account`: an account's id. `order`: an order's number or text.
 * - `filter`: narrows what is answered. Only for operations whose answers are filtered themselves.
 */
export type FieldClass =
  | 'none'
  | 'security'
  | 'plate'
  | 'stock_id'
  | 'traded_code'
  | 'sec_market'
  | 'quote_market'
  | 'stock_market'
  | 'trading_market'
  | 'calendar'
  | 'cancel_market'
  | 'account'
  | 'forex_broker'
  | 'forex'
  | 'order'
  | 'filter';

/** By the names of messages and of their fields, as the `.proto` has them. Messages inside are looked up by their own name. */
export type FieldClasses = Readonly<Record<string, Readonly<Record<string, FieldClass>>>>;

/** Fields that name nothing a list could hold. */
export function none<const F extends string>(...fields: readonly F[]): Record<F, 'none'> {
  return Object.fromEntries(fields.map((field) => [field, 'none'])) as Record<F, 'none'>;
}

/** Classes of the fields of a request (`C2S`) of this package: some by name, and others that name nothing. */
export function requestClasses(pkg: string, named: FieldClasses[string], ...others: readonly string[]): FieldClasses {
  return { [`${pkg}.C2S`]: { ...named, ...none(...others) } };
}

/** One security, and nothing else that a list could hold. */
const security = { security: 'security' } as const;
const securities = { securityList: 'security' } as const;

const declared: FieldClasses = {
  'Common.PacketID': none('connID', 'serialNo'),

  'GetDelayStatistics.C2S': none('typeList', 'qotPushStage', 'segmentList'),
  'GetGlobalState.C2S': none('userID'),
  'GetUserInfo.C2S': none('flag'),
  'Verification.C2S': none('type', 'op', 'code'),
  'svc.quote_rights.C2S': none('refresh'),
  'svc.risk_free_rate.C2S': none('rate_time'),
  'svc.snapshot.C2S': { ...securities, ...none('partial') },
  'svc.spread_table.C2S': none('reserved'),
  'svc.cash_detail.C2S': none('log_id'),
  'svc.cash_log.C2S': {
    ...security,
    stock_id: 'filter',
    ...none('begin_time', 'end_time', 'biz_group_id', 'biz_sub_group_id', 'in_out', 'keyword', 'log_id', 'max_cnt', 'currency'),
  },
  'svc.place_bracket_order.C2S': {
    code: 'traded_code',
    secMarket: 'sec_market',
    ...none('trdSide', 'orderType', 'qty', 'price', 'timeInForce', 'remark'),
    ...none('take_profit_price', 'stop_loss_price', 'stop_loss_limit_price'),
  },
  'svc.get_brackets.C2S': none('bracket_id'),
  'svc.get_refusals.C2S': none('num'),
  'svc.cancel_bracket.C2S': none('bracket_id'),
  'svc.margin_info.C2S': none('currency'),
  'svc.token_state.C2S': { acc_id: 'account' },

  'Qot_Common.QotHeader': none('securityFirm'),
  'Qot_OptionCommon.Boundary': none('value', 'includes'),
  'Qot_OptionCommon.IndicatorValue': { ...securities, ...none('valueList', 'stringValueList') },
  'Qot_GetBasicQot.C2S': securities,
  'Qot_GetBroker.C2S': security,
  'Qot_Common.ComboLeg': { ...security, ...none('side', 'qtyRatio', 'positionID', 'predSide') },
  'Qot_GetCapitalDistribution.C2S': security,
  'Qot_GetCapitalFlow.C2S': { ...security, ...none('periodType', 'beginTime', 'endTime') },
  'Qot_GetKL.C2S': { ...security, ...none('rehabType', 'klType', 'reqNum') },
  'Qot_GetMarketState.C2S': securities,
  'Qot_GetOrderBook.C2S': { ...security, ...none('num', 'orderBookType') },
  'Qot_GetRT.C2S': security,
  'Qot_GetStaticInfo.C2S': { market: 'quote_market', ...securities, ...none('secType') },
  'Qot_GetSubInfo.C2S': none('isReqAllConn'),
  'Qot_GetTicker.C2S': { ...security, ...none('maxRetNum') },
  'Qot_RequestHistoryKL.C2S': {
    ...security,
    ...none('rehabType', 'klType', 'beginTime', 'endTime', 'maxAckKLNum', 'needKLFieldsFlag', 'nextReqKey', 'extendedTime', 'session'),
  },
  'Qot_RequestHistoryKLQuota.C2S': none('bGetDetail'),
  'Qot_RequestTradeDate.C2S': { market: 'calendar', ...security, ...none('beginTime', 'endTime') },
  'Qot_Sub.C2S': {
    ...securities,
    ...none('subTypeList', 'isSubOrUnSub', 'isRegOrUnRegPush', 'regPushRehabTypeList', 'isFirstPush', 'isUnsubAll'),
    ...none('isSubOrderBookDetail', 'extendedTime', 'session'),
  },

  'Trd_Common.TrdFilterConditions': {
    codeList: 'filter',
    idList: 'filter',
    orderIDExList: 'filter',
    filterMarket: 'filter',
    ...none('beginTime', 'endTime'),
  },
  'Trd_Common.TrdHeader': { trdMarket: 'trading_market', accID: 'account', ...none('trdEnv', 'jpAccType') },
  'Trd_FlowSummary.C2S': none('clearingDate', 'cashFlowDirection', 'startCreateDate', 'endCreateDate'),
  'Trd_GetAccList.C2S': none('userID', 'trdCategory', 'needGeneralSecAccount'),
  'Trd_GetComboMaxTrdQtys.C2S': { orderIDEx: 'order', ...none('qty', 'price', 'orderType') },
  'Trd_GetFunds.C2S': none('refreshCache', 'currency', 'assetCategory'),
  'Trd_GetHistoryOrderList.C2S': none('filterStatusList'),
  'Trd_GetMarginRatio.C2S': securities,
  'Trd_GetMaxTrdQtys.C2S': {
    code: 'traded_code',
    secMarket: 'sec_market',
    orderID: 'order',
    orderIDEx: 'order',
    ...none('orderType', 'price', 'adjustPrice', 'adjustSideAndLimit', 'session', 'positionID'),
  },
  'Trd_GetOrderFee.C2S': { orderIdExList: 'order' },
  'Trd_GetOrderFillList.C2S': none('refreshCache'),
  'Trd_GetOrderList.C2S': none('filterStatusList', 'refreshCache'),
  'Trd_GetPositionList.C2S': none(
    'filterPLRatioMin',
    'filterPLRatioMax',
    'refreshCache',
    'assetCategory',
    'currency',
    'optionStrategyView',
  ),
  'Trd_ModifyOrder.C2S': {
    orderID: 'order',
    orderIDEx: 'order',
    trdMarket: 'cancel_market',
    ...none('modifyOrderOp', 'forAll', 'qty', 'price', 'adjustPrice', 'adjustSideAndLimit', 'auxPrice', 'trailType'),
    ...none('trailValue', 'trailSpread'),
  },
  'Trd_ReconfirmOrder.C2S': { orderID: 'order', ...none('reconfirmReason') },
  'Trd_PlaceComboOrder.C2S': none('qty', 'price', 'orderType', 'timeInForce', 'expireTime', 'remark', 'quoteID'),
  'Trd_PlaceOrder.C2S': {
    code: 'traded_code',
    secMarket: 'sec_market',
    ...none('trdSide', 'orderType', 'qty', 'price', 'adjustPrice', 'adjustSideAndLimit', 'remark', 'timeInForce'),
    ...none('fillOutsideRTH', 'auxPrice', 'trailType', 'trailValue', 'trailSpread', 'session', 'positionID'),
    ...none('expireTime', 'amount', 'predSide'),
  },
  'Trd_SubAccPush.C2S': { accIDList: 'account' },
  'Trd_UnlockTrade.C2S': none('unlock', 'pwdMD5', 'securityFirm'),
};

/**
 * The class of a field; undefined where none is declared. A message-typed field is descended into and has no class of its own,
 * unless it is a security.
 *
 * @param own the operation's own classes, for fields missing from the table.
 */
export function classOf(field: DescField, own: FieldClasses): FieldClass | undefined {
  const { typeName } = field.parent;
  return declared[typeName]?.[field.name] ?? own[typeName]?.[field.name];
}

/** Whether what a field names is in the messages that it holds. */
export function isLookedInto(field: DescField): field is DescField & { readonly message: DescMessage } {
  return field.message !== undefined && field.message.typeName !== SecuritySchema.typeName;
}

/** Every field of a request with a value of its own, nested ones too, each once. */
export function* fieldsWithin(desc: DescMessage, seen = new Set<string>()): Generator<DescField> {
  if (seen.has(desc.typeName)) return;
  seen.add(desc.typeName);
  for (const field of desc.fields) {
    if (isLookedInto(field)) yield* fieldsWithin(field.message, seen);
    else yield field;
  }
}
