import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { C2S, S2C } from '@svc-gateway/contract/generated/Trd_GetMarginRatio_pb';
import { S2CSchema } from '@svc-gateway/contract/generated/Trd_GetMarginRatio_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { tradeMarketOf, untraded } from '../../brokerage/account.js';
import { addressed } from '../../brokerage/header.js';
import { canShort, marginRatios, shortFeePercent } from '../../brokerage/margin.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { allOf } from '../../view/locate.js';
import { type Instrument, kinds } from '../../world/index.js';
import { describeUnknown } from '../../world/unknown-symbol.js';

/** As many as the public protocol takes in one request. */
const SECURITIES_MAX = 100;

/** Trd_GetMarginRatio: margin terms of securities, in percent of market value. */
export const getMarginRatio: Answer<'world' | 'brokerage', C2S, S2C> = ({ brokerage, world }, { header, securityList }) => {
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
  return create(S2CSchema, { header: to.header, marginRatioInfoList });
};

function marginInfo(instrument: Instrument, security: { market: number; code: string }) {
  const { long, short } = marginRatios(instrument);
  return {
    security,
    isLongPermit: long !== undefined,
    isShortPermit: canShort(instrument),
    ...(long === undefined
      ? {}
      : {
          alertLongRatio: Number(long.alert),
          imLongRatio: Number(long.initial),
          mcmLongRatio: Number(long.marginCall),
          mmLongRatio: Number(long.maintenance),
        }),
    ...(short === undefined
      ? {}
      : {
          shortPoolRemain: Number(instrument.sharesIssued / 1000n),
          shortFeeRate: kinds[instrument.kind].margin === 'stock' ? decimalToNumber(shortFeePercent) : 0,
          alertShortRatio: Number(short.alert),
          imShortRatio: Number(short.initial),
          mcmShortRatio: Number(short.marginCall),
          mmShortRatio: Number(short.maintenance),
        }),
  };
}
