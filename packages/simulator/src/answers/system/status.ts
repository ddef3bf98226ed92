import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import type { S2C } from '@svc-gateway/contract/generated/GetUserInfo_pb';
import type { SpreadItem } from '@svc-gateway/contract/generated/svc/spread_table_pb';
import { type QuoteMarket, quoteMarkets } from '@svc-gateway/contract/markets';
import type { system as declared } from '@svc-gateway/contract/operations';
import { DAY_MS } from '@svc-gateway/contract/time';
import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import { Refusal } from '../../refusal.js';
import { klTypes } from '../../view/bars.js';
import type { Facts } from '../../view/facts.js';
import { type Fields, given } from '../../view/messages.js';
import { BOOK_DEPTH_MAX } from '../../view/order-book.js';
import { QotRight, SERVER_BUILD, SERVER_VERSION, SIMULATED, SUBSCRIPTION_QUOTA } from '../../view/server.js';
import { subTypesOf } from '../../view/sub-types.js';
import { type CalendarName, shownState } from '../../world/index.js';
import type { TickTable } from '../../world/instrument.js';
import { riskFreeRate } from '../../world/risk-free-rate.js';
import type { AnswerTo } from '../table.js';

/** GetGlobalState. The mainland's two exchanges keep the same hours. */
export const getGlobalState: AnswerTo<typeof declared.getGlobalState> = ({ clock, world }) => {
  const now = clock.now();
  const state = (name: CalendarName) => shownState(world.calendar(name), now);
  return {
    marketHK: state('HK'),
    marketUS: state('US'),
    marketSH: state('CN'),
    marketSZ: state('CN'),
    marketHKFuture: state('HK_FUTURE'),
    marketUSFuture: state('US_FUTURE'),
    marketSGFuture: state('SG_FUTURE'),
    marketJPFuture: state('JP_FUTURE'),
    marketSG: state('SG'),
    marketMY: state('MY'),
    marketJP: state('JP'),
    qotLogined: true,
    trdLogined: true,
    serverVer: SERVER_VERSION,
    serverBuildNo: SERVER_BUILD,
    time: BigInt(Math.floor(now / 1000)),
    localTime: now / 1000,
    programStatus: { type: ProgramStatusType.ProgramStatusType_Ready, strExtDesc: SIMULATED },
    qotSvrIpAddr: 'simulated',
    trdSvrIpAddr: 'simulated',
  };
};

/** Per market: the subscription types that at least one of its instruments serves, as its kind and its lots say. */
export const getQuoteCapability: AnswerTo<typeof declared.getQuoteCapability> = (facts) => {
  const capabilityList = quoteMarkets.map(({ name, number }) => ({
    market: number,
    subTypeList: servedIn(facts, name),
    klTypeList: [...klTypes],
    orderBookDepthMax: BOOK_DEPTH_MAX,
  }));
  return { subQuota: SUBSCRIPTION_QUOTA, capabilityList };
};

function servedIn({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): number[] {
  const listed = world.listed({ market });
  const examples = new Map(listed.map((instrument) => [`${instrument.kind} ${instrument.lotSize > 1}`, instrument]));
  const types = new Set([...examples.values()].flatMap((instrument) => subTypesOf(listings.of(instrument))));
  return [...types].sort((a, b) => a - b);
}

/** The rights of the simulated user: full depth everywhere, in Hong Kong with the orders behind it. They never change, so that `refresh` finds the same. */
export const getQuoteRights: AnswerTo<typeof declared.getQuoteRights> = () => ({
  rightList: quoteMarkets.map(({ name, number }) => ({ market: number, right: name === 'HK' ? QotRight.sf : QotRight.level2 })),
});

/** GetUserInfo.UserInfoField: which parts a request wants. */
const Part = { basic: 1, api: 2, rights: 4, disclaimer: 8, update: 16 } as const;

/** The simulated user's number. */
const USER_ID = 1001n;

/** GetUserInfo: the parts that `flag` names, all without it. */
export const getUserInfo: AnswerTo<typeof declared.getUserInfo> = (facts, { flag }) => {
  const wanted = (part: number) => flag === 0 || (flag & part) !== 0;
  return {
    ...(wanted(Part.basic) ? { nickName: 'Simulated User', avatarUrl: '', userID: USER_ID, isAppNNOrMM: false } : {}),
    ...(wanted(Part.api) ? { subQuota: SUBSCRIPTION_QUOTA, historyKLQuota: facts.historyQuota.max } : {}),
    ...(wanted(Part.rights) ? rights : {}),
    ...(wanted(Part.disclaimer) ? { isNeedAgreeDisclaimer: false } : {}),
    ...(wanted(Part.update) ? { updateType: 0 } : {}),
  };
};

const served = QotRight.level2;
const absent = QotRight.none;

/** Everything that the simulation has, it shows; it has no options, no crypto and no event contracts. */
const rights: Fields<S2C> = {
  // Its books come with their orders.
  hkQotRight: QotRight.sf,
  usQotRight: served,
  cnQotRight: served,
  shQotRight: served,
  szQotRight: served,
  hkOptionQotRight: absent,
  hasUSOptionQotRight: false,
  usOptionQotRight: absent,
  hkFutureQotRight: served,
  usFutureQotRight: served,
  usIndexQotRight: served,
  usOtcQotRight: absent,
  usCMEFutureQotRight: served,
  usCBOTFutureQotRight: served,
  usNYMEXFutureQotRight: served,
  usCOMEXFutureQotRight: served,
  usCBOEFutureQotRight: served,
  sgFutureQotRight: served,
  jpFutureQotRight: served,
  sgStockQotRight: served,
  myStockQotRight: served,
  jpStockQotRight: served,
  ccQotRight: absent,
  ecQotRight: absent,
};

/** One account has a two-factor token, enabled and bound; the user and every other account have none: the trade password alone unlocks. */
export const getTokenState: AnswerTo<typeof declared.getTokenState> = ({ brokerage }, request) => {
  const id = given(request, 'accId');
  const account = id === undefined ? undefined : brokerage.account(id);
  if (id !== undefined && account === undefined) return new Refusal(unknownAccountText(id), UNKNOWN_ACCOUNT);
  const token = account?.lacks === 'token' ? 1 : 0;
  // The app of the account's firm is the one that shows the token.
  return { nnTokenEnable: 0, nnTokenBind: 0, mmTokenEnable: token, mmTokenBind: token };
};

/**
 * Made-up rates, a function of the date alone. They are fixed at midnight UTC; `rate_time` selects the fixing in force then, and the latest without it.
 */
export const getRiskFreeRate: AnswerTo<typeof declared.getRiskFreeRate> = ({ clock }, request) => {
  const now = clock.now();
  // 0 is a time: the beginning of 1970.
  const time = Number(given(request, 'rateTime') ?? now);
  if (time < 0) return new Refusal('rate_time is before 1970: no rate is known for it');
  if (time > now) return new Refusal('rate_time lies in the future: no rate is fixed yet');
  const day = Math.floor(time / DAY_MS);
  const [hk, us, jp] = [riskFreeRate(day, 'hk'), riskFreeRate(day, 'us'), riskFreeRate(day, 'jp')];
  return {
    hkRatePct: decimalToNumber(hk),
    usRatePct: decimalToNumber(us),
    jpRatePct: decimalToNumber(jp),
    hkRate: hk,
    usRate: us,
    jpRate: jp,
    rateTime: BigInt(day * DAY_MS),
  };
};

/** The tick tables in use, in the order in which the instruments name them first. */
export const getSpreadTable: AnswerTo<typeof declared.getSpreadTable> = ({ world }) => {
  const tables = new Map(world.instruments().map(({ tickTable }) => [tickTable.name, tickTable]));
  const spreadTableList = [...tables.values()].map((table) => ({ spreadCode: table.name, spreadItemList: items(table) }));
  return { spreadTableList };
};

/** The last step has no end, which the protocol writes as 0. */
function items({ steps }: TickTable): Fields<SpreadItem>[] {
  return steps.map(({ below, tick }, index) => ({
    priceFrom: decimalToNumber(steps[index - 1]?.below ?? 0n),
    priceTo: decimalToNumber(below ?? 0n),
    value: decimalToNumber(tick),
  }));
}

/** Verification: refused, as the simulated brokerage has no login. */
export const verification: AnswerTo<typeof declared.verification> = () =>
  new Refusal('no verification is pending: the simulated backend needs no login and sends no codes');
