/**
 * Runs the published JavaScript client, unmodified, in a process of its own: connects with a key, calls every method that
 * it has, and sends what came of each to the test that started it. On Node without a global WebSocket it is given that of
 * `ws`.
 */
import { createHash } from 'node:crypto';

globalThis.WebSocket ??= (await import('ws')).WebSocket;
const { default: Client } = await import('futu-api/main.js');
const { default: messages } = await import('futu-api/proto.js');

const { host, port, secure, key, password, date } = JSON.parse(process.argv[2]);
const client = new Client();
// Its own five seconds are too few for the first screen of a market on a busy machine.
client.timeout = 60_000;
const pushes = [];
let onPush = () => undefined;
client.onPush = (command, response) => {
  pushes.push({ command, response: plain(response) });
  onPush();
};

const login = await new Promise((resolve) => {
  client.onlogin = (accepted, answer) => resolve({ accepted, answer: accepted ? null : answer });
  client.start(host, port, secure, key);
});
await new Promise((resolve) =>
  process.send({ kind: 'login', accepted: login.accepted, connectionId: String(client.getConnID()) }, resolve),
);
if (login.accepted) await callEverything();
process.disconnect();
process.exit();

async function callEverything() {
  const called = new Set();
  const call = async (method, c2s) => {
    called.add(method);
    const request = c2s ?? emptyRequest(method);
    let asked;
    // Observes the client's own requests.
    const send = Client.prototype._sendCmd;
    client._sendCmd = (command, message, name) => {
      asked = { protocolId: command, message: name };
      return send.call(client, command, message, name);
    };
    const response = await client[method]({ c2s: request }).catch((refusal) => refusal);
    const sent = messages.lookup(`${asked.message}.Request`) !== null;
    process.send({ kind: 'answer', method, given: c2s !== undefined, sent, ...asked, response: plain(response) });
    return plain(response);
  };
  /** The least that the message takes. */
  const emptyRequest = (method) => {
    let name = '';
    client._sendCmd = (_command, _request, message) => {
      name = message;
      return Promise.resolve();
    };
    client[method]({});
    // One of its methods names a message that it does not have: it fails before it asks.
    return messages.lookup(`${name}.C2S`) === null ? {} : zeroOf(messages.lookupType(`${name}.C2S`));
  };

  await call('GetGlobalState', { userID: 0 });
  await call('UnlockTrade', { unlock: true, pwdMD5: createHash('md5').update(password).digest('hex') });
  const { accList } = (await call('GetAccList', { userID: 0 })).s2c;
  const { accID } = accList.find(({ trdEnv, trdMarketAuthList }) => trdEnv === 0 && trdMarketAuthList.includes(1));
  await call('SubAccPush', { accIDList: [accID] });
  const header = { trdEnv: 0, accID, trdMarket: 1 };
  const packetID = (serialNo) => ({ connID: client.getConnID(), serialNo });
  const tencent = { market: 1, code: '00700' };
  const times = { beginTime: `${date} 00:00:00`, endTime: `${date} 23:59:59` };
  await call('GetFunds', { header });
  await call('GetPositionList', { header });
  await call('GetMaxTrdQtys', { header, orderType: 1, code: '00700', price: 500, secMarket: 1 });
  const order = { trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 500, secMarket: 1 };
  const { orderIDEx } = (await call('PlaceOrder', { packetID: packetID(0), header, ...order })).s2c;
  const comboLeg = (code) => ({ security: { market: 1, code }, side: 1, qtyRatio: 1 });
  await call('GetComboMaxTrdQtys', { header, comboLegs: [comboLeg('00700'), comboLeg('00005')], qty: 1200, price: 500, orderType: 1 });
  await call('GetOrderList', { header, filterConditions: { orderIDExList: [orderIDEx] } });
  await call('ModifyOrder', { packetID: packetID(1), header, orderID: 0, orderIDEx, modifyOrderOp: 1, qty: 100, price: 501 });
  await call('ModifyOrder', { packetID: packetID(2), header, orderID: 0, orderIDEx, modifyOrderOp: 2 });
  await call('GetOrderFee', { header, orderIdExList: [orderIDEx] });
  await call('GetFlowSummary', { header, clearingDate: date });
  await call('GetOrderFillList', { header });
  await call('GetHistoryOrderList', { header, filterConditions: times });
  await call('GetHistoryOrderFillList', { header, filterConditions: times });
  await call('GetMarginRatio', { header, securityList: [tencent] });

  const subTypeList = [1, 2, 4, 5, 6, 14];
  await call('Sub', { securityList: [tencent], subTypeList, isSubOrUnSub: true, isRegOrUnRegPush: true });
  await call('RegQotPush', { securityList: [tencent], subTypeList: [1], isRegOrUnReg: true });
  await call('GetSubInfo', { isReqAllConn: false });
  await call('GetBasicQot', { securityList: [tencent] });
  await call('GetOrderBook', { security: tencent, num: 10 });
  await call('GetTicker', { security: tencent, maxRetNum: 10 });
  await call('GetRT', { security: tencent });
  await call('GetKL', { rehabType: 1, klType: 2, security: tencent, reqNum: 10 });
  await call('GetBroker', { security: tencent });
  const days = { beginTime: '2025-12-01', endTime: '2025-12-31' };
  await call('RequestHistoryKL', { rehabType: 1, klType: 2, security: tencent, ...days });
  await call('RequestHistoryKLQuota', { bGetDetail: true });
  await call('GetStaticInfo', { market: 1, secType: 3 });
  await call('GetSecuritySnapshot', { securityList: [tencent] });
  await call('GetCapitalFlow', { security: tencent, periodType: 1 });
  await call('GetCapitalDistribution', { security: tencent });
  await call('RequestTradeDate', { market: 1, ...days });
  await call('GetMarketState', { securityList: [tencent] });
  await call('GetPlateSet', { market: 1, plateSetType: 0 });
  await call('GetPlateSecurity', { plate: { market: 1, code: 'LIST1001' } });
  await call('GetOwnerPlate', { securityList: [tencent] });
  await call('GetCodeChange', { securityList: [tencent] });
  await call('RequestRehab', { security: tencent });
  await call('GetIpoList', { market: 1 });
  await call('GetSearchQuote', { keyword: 'tencent', maxCount: 3 });
  const { plateInfoList } = (await call('GetPlateSet', { market: 1, plateSetType: 1 })).s2c;
  const { plate } = plateInfoList[0];
  await call('StockFilter', { begin: 0, num: 5, market: 1, plate, baseFilterList: [{ fieldName: 5, filterMin: 0, sortDir: 2 }] });
  const market = { simpleFieldQuery: { simpleField: 1, screenValueList: [1] } };
  await call('GetStockScreen', { filterList: [market], retrieveList: [{ basicProperty: { name: 1101 } }], pageCount: 5 });
  await call('GetWarrantScreen', { marketType: 1, filterList: [{ fieldId: 6, choices: [{ contentType: 1, value: 1 }] }], pageCount: 5 });

  const apple = { market: 11, code: 'AAPL' };
  const { dateList } = (await call('GetOptionExpirationDate', { owner: apple })).s2c;
  const expiry = dateList[2].strikeTime;
  const { optionChain } = (await call('GetOptionChain', { owner: apple, beginTime: expiry, endTime: expiry })).s2c;
  const strikes = optionChain[0].option;
  const leg = ({ call: one }, side) => ({ security: one.basic.security, side, qtyRatio: 1 });
  const middle = Math.floor(strikes.length / 2);
  const multiLegs = [leg(strikes[middle], 1), leg(strikes[middle + 1], 2)];
  await call('GetOptionQuote', { multiLegs: multiLegs.slice(0, 1) });
  await call('GetOptionStrategy', { owner: apple, optionStrategy: 4, expireTime: expiry, spread: 5 });
  await call('GetOptionStrategyAnalysis', { multiLegs });
  await call('GetReference', { security: tencent, referenceType: 1 });
  await call('GetWarrant', { begin: 0, num: 5, sortField: 1, ascend: true, owner: tencent });
  await call('GetFutureInfo', { securityList: [{ market: 1, code: 'HSImain' }] });

  await call('ModifyUserSecurity', { groupName: 'Conformance', op: 1, securityList: [tencent] });
  await call('GetUserSecurityGroup', { groupType: 1 });
  await call('GetUserSecurity', { groupName: 'Conformance' });
  await call('SetPriceReminder', { security: tencent, op: 1, type: 1, freq: 3, value: 0.001, note: 'conformance' });
  await call('GetPriceReminder', { security: tencent });
  await call('SetOptionEventAlert', { operType: 1, alertList: [{ underlying: apple, note: 'conformance' }] });
  await call('GetOptionEventAlert', { count: 10 });

  const interval = { filterMin: { value: 0, includes: true } };
  const conditions = [{ indicatorType: 1, indicatorValue: { valueInterval: interval } }];
  await call('GetDividendCalendar', { market: 1, date });
  await call('GetEarningsCalendar', { market: 1, beginDate: date, endDate: date, sortType: 7 });
  await call('GetEconomicCalendar', { beginDate: date, endDate: date, marketList: [1, 11], count: 10 });
  await call('GetDividendRank', { market: 1, rankType: 1, count: 5, filterList: conditions });
  await call('GetEarningsBeatRank', { market: 1, beatType: 1, count: 5, filterList: [{ indicatorType: 1, indicatorValue: interval }] });
  await call('GetUSPreMarketRank', { count: 5 });
  await call('GetUSAfterHoursRank', { count: 5, sortDir: 1 });
  await call('GetUSOvernightRank', { count: 5 });
  await call('GetShortSellingRank', { market: 1, count: 5 });
  await call('GetPeriodChangeRank', { market: 1, periodType: 3, count: 5 });
  await call('GetHighDividendSOERank', { count: 5 });
  await call('GetInstitutionList', { market: 11, count: 3 });
  await call('GetInstitutionProfile', { market: 11, institutionId: 1 });
  await call('GetInstitutionDistribution', { market: 11, institutionId: 1 });
  await call('GetInstitutionHoldingChange', { market: 11, institutionId: 1, changeType: 3, count: 3 });
  await call('GetInstitutionHoldingList', { market: 11, institutionId: 1, count: 3 });
  await call('GetArkFundHolding', { count: 3 });
  await call('GetArkStockDynamic', { security: { market: 11, code: 'TSLA' } });
  await call('GetArkActiveTransaction', { cycleType: 4, count: 3 });
  await call('GetRatingChange', { market: 11, count: 3 });
  await call('GetIndustrialChainList', { market: 1, count: 2 });
  await call('GetIndustrialChainDetail', { chainId: 1 });
  await call('GetIndustrialChainByPlate', { plateId: 1002 });
  await call('GetIndustrialPlateInfo', { plateId: 1002 });
  await call('GetIndustrialPlateStock', { plateId: 1002, marketList: [1], count: 3 });
  await call('GetHeatMapData', { market: 1, count: 3 });

  for (const method of methods()) if (!called.has(method)) await call(method, undefined);

  const pushed = (command) => pushes.some((push) => push.command === command);
  await new Promise((resolve) => {
    onPush = () => [1003, 2208, 3005, 3011, 3013, 3019].every(pushed) && resolve();
    onPush();
  });
  await new Promise((resolve) => process.send({ kind: 'pushes', pushes }, resolve));
}

/** Every call that the client has; what begins with an underscore is its own business. */
function methods() {
  const others = new Set(['constructor', 'start', 'stop', 'getConnID']);
  return Object.getOwnPropertyNames(Client.prototype).filter((name) => !others.has(name) && !name.startsWith('_'));
}

/** A message with its required fields alone, each as empty as it may be. */
function zeroOf(type) {
  const zero = (field) => {
    const { resolvedType } = field.resolve();
    if (resolvedType?.fields !== undefined) return zeroOf(resolvedType);
    if (field.type === 'string') return '';
    return field.type === 'bool' ? false : field.type === 'bytes' ? new Uint8Array() : 0;
  };
  return Object.fromEntries(type.fieldsArray.filter(({ required }) => required).map((field) => [field.name, zero(field)]));
}

/** An answer as plain data, its 64-bit integers as texts. */
function plain(response) {
  if (response?.$type === undefined) return { refused: String(response) };
  return response.$type.toObject(response, { longs: String });
}
