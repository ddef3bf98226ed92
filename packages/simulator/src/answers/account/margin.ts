import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import * as MarginInfo from '@svc-gateway/contract/generated/svc/margin_info_pb';
import { PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as MarginRatio from '@svc-gateway/contract/generated/Trd_GetMarginRatio_pb';
import { quoteMarket, symbolOf } from '@svc-gateway/contract/markets';
import { tradeMarketOf, untraded } from '../../brokerage/account.js';
import { inMarket } from '../../brokerage/filter.js';
import { addressed } from '../../brokerage/header.js';
import { canShort, initialMargin, maintenanceMargin, marginCallMargin, marginRatios, shortFeePercent } from '../../brokerage/margin.js';
import { percentOf } from '../../brokerage/messages.js';
import { currencies, tradeMarkets } from '../../brokerage/terms.js';
import { freeMargin, type PositionValue, type Valuation, type Valuer } from '../../brokerage/valuation.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { allOf } from '../../view/locate.js';
import { messageOf } from '../../view/messages.js';
import { type Instrument, kinds } from '../../world/index.js';
import { describeUnknown } from '../../world/unknown-symbol.js';
import { currencyAsked, ofAccount, shownIn } from './amounts.js';

/** svc.margin_info: an account's margin, and the margin of its positions. */
export const getMarginInfo: Answer<'brokerage', MarginInfo.C2S, MarginInfo.S2C> = ofAccount(
  ({ brokerage }, { account, header, market }, request) => {
    const currency = currencyAsked(account, request.currency);
    if (currency instanceof Refusal) return currency;
    const lends = account.type === 'margin';
    const value = brokerage.valuer.valuation(account, currency);
    const none = { ...value, initialMargin: 0n, marginCallMargin: 0n, maintenanceMargin: 0n, reservedMargin: 0n };
    const margin = lends ? value : none;
    const free = lends ? freeMargin(value) : value.cash - value.frozenCash;
    const positions = [...brokerage.records.ledger.positions(account)].filter(
      (position) => position.quantity !== 0n && (request.header?.trdMarket === 0 || inMarket(position.tradeMarket, market)),
    );
    const n = shownIn(currency);
    const answer = messageOf(MarginInfo.S2CSchema, {
      header,
      currency: currencies.numberOf(currency),
      isMarginAccount: lends,
      netAssets: n(value.netAssets),
      initialMargin: n(margin.initialMargin),
      marginCallMargin: n(margin.marginCallMargin),
      maintenanceMargin: n(margin.maintenanceMargin),
      reservedMargin: n(margin.reservedMargin),
      availableMargin: n(free),
      excessLiquidity: n(value.netAssets - margin.maintenanceMargin),
      riskRatio: value.netAssets > 0n ? percentOf(margin.maintenanceMargin, value.netAssets) : undefined,
      marginStatus: statusOf(margin),
      positionList: lends ? positions.map((position) => marginOf(brokerage.valuer, brokerage.valuer.value(position))) : [],
    });
    return brokerage.records.journal.whenDurable(answer);
  },
);

function marginOf(valuer: Valuer, { instrument, position, value }: PositionValue) {
  const direction = value < 0n ? 'short' : 'long';
  const size = value < 0n ? -value : value;
  const each = (terms: typeof initialMargin): Decimal => {
    if (direction === 'long' || instrument.kind !== 'option') return terms(instrument, direction, size);
    // The terms of a sold option are all the same, and follow its underlying.
    return valuer.shortMargin(instrument, size) * -position.quantity;
  };
  const [initial, call, maintenance] = [each(initialMargin), each(marginCallMargin), each(maintenanceMargin)];
  const n = shownIn(instrument.currency);
  return {
    trdMarket: tradeMarkets.numberOf(position.tradeMarket),
    secMarket: quoteMarket(instrument.market).secMarket,
    code: instrument.code,
    name: instrument.name,
    positionSide: direction === 'short' ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long,
    qty: Number(position.quantity),
    marketValue: n(value),
    currency: currencies.numberOf(instrument.currency),
    initialRatio: percentOf(initial, size) ?? 0,
    marginCallRatio: percentOf(call, size) ?? 0,
    maintenanceRatio: percentOf(maintenance, size) ?? 0,
    initialMargin: n(initial),
    marginCallMargin: n(call),
    maintenanceMargin: n(maintenance),
  };
}

/** How far the net assets still reach: see `margin_status`. */
function statusOf({ netAssets, initialMargin: initial, marginCallMargin: call, maintenanceMargin: least }: Valuation): number {
  if (netAssets >= initial) return 1;
  if (netAssets >= call) return 2;
  return netAssets >= least ? 3 : 4;
}

/** As many as the public protocol takes in one request. */
const SECURITIES_MAX = 100;

/** Trd_GetMarginRatio: margin terms of securities, in percent of market value. */
export const getMarginRatio: Answer<'world' | 'brokerage', MarginRatio.C2S, MarginRatio.S2C> = (
  { brokerage, world },
  { header, securityList },
) => {
  const to = addressed(brokerage, header);
  if (to instanceof Refusal) return to;
  if (securityList.length > SECURITIES_MAX)
    return new Refusal(`securityList names ${securityList.length} securities; at most ${SECURITIES_MAX} are accepted`, 'broker.value');
  const marginRatioInfoList: ReturnType<typeof marginInfo>[] = [];
  const unknown: Refusal[] = [];
  for (const { market, code } of securityList) {
    const symbol = symbolOf({ market, code });
    const instrument = symbol === undefined ? undefined : world.instrument(symbol);
    if (instrument === undefined) {
      const { message, code: reason } = describeUnknown(world, { market, code });
      unknown.push(new Refusal(message, reason));
      continue;
    }
    if (tradeMarketOf(instrument, to.account.environment) === undefined) unknown.push(new Refusal(untraded(instrument), 'broker.market'));
    else marginRatioInfoList.push(marginInfo(instrument, { market, code }));
  }
  if (unknown.length > 0) return allOf(unknown);
  return messageOf(MarginRatio.S2CSchema, { header: to.header, marginRatioInfoList });
};

function marginInfo(instrument: Instrument, security: { market: number; code: string }) {
  const { long, short } = marginRatios(instrument);
  return {
    security,
    isLongPermit: long !== undefined,
    isShortPermit: canShort(instrument),
    ...(long && {
      alertLongRatio: Number(long.alert),
      imLongRatio: Number(long.initial),
      mcmLongRatio: Number(long.marginCall),
      mmLongRatio: Number(long.maintenance),
    }),
    ...(short && {
      shortPoolRemain: Number(instrument.sharesIssued / 1000n),
      shortFeeRate: kinds[instrument.kind].margin === 'stock' ? decimalToNumber(shortFeePercent) : 0,
      alertShortRatio: Number(short.alert),
      imShortRatio: Number(short.initial),
      mcmShortRatio: Number(short.marginCall),
      mmShortRatio: Number(short.maintenance),
    }),
  };
}
