import { create } from '@bufbuild/protobuf';
import type { TradeSide } from '../../access/index.js';
import { type Decimal, decimalFromNumber, formatDecimal } from '../../contract/decimal.js';
import { SecuritySchema } from '../../contract/generated/Qot_Common_pb.js';
import type { C2S as BracketC2S } from '../../contract/generated/svc/place_bracket_order_pb.js';
import { C2SSchema as SnapshotC2S } from '../../contract/generated/svc/snapshot_pb.js';
import { PositionSide, TrdSide } from '../../contract/generated/Trd_Common_pb.js';
import { C2SSchema as PositionsC2S } from '../../contract/generated/Trd_GetPositionList_pb.js';
import { quoteMarketOfSecMarket } from '../../contract/markets.js';
import { account, quote } from '../../contract/operations/index.js';
import { Rejection } from '../../contract/rejection.js';
import type { Backend, CallContext } from '../backend.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { sideName } from '../trade-names.js';
import { exitSideOf } from './bracket-entry.js';

/** Why a stop-loss is on the wrong side of the last price, where it would go to the market at once; undefined where it is not, or no price is known. */
export async function refuseStop(backend: Backend, bracket: BracketC2S, context: CallContext): Promise<Rejection | undefined> {
  const stop = Object.hasOwn(bracket, 'stopLossPrice') ? (decimalFromNumber(bracket.stopLossPrice) ?? 0n) : 0n;
  const market = quoteMarketOfSecMarket(bracket.secMarket);
  if (stop === 0n || market === undefined) return undefined;
  const query = create(SnapshotC2S, { securityList: [create(SecuritySchema, { market: market.number, code: bracket.code })] });
  const snapshot = payloadOf(quote.getSnapshot, await backend.call(quote.getSnapshot, query, context))?.snapshotList[0];
  const last = decimalFromNumber(snapshot?.basic?.curPrice ?? 0) ?? 0n;
  const isLong = bracket.trdSide === TrdSide.TrdSide_Buy;
  if (last <= 0n || (isLong ? stop < last : stop > last)) return undefined;
  const side = isLong ? 'below' : 'above';
  const message = `stop_loss_price: ${formatDecimal(stop)} is not ${side} the last price ${formatDecimal(last)}: it would close the position at once`;
  return new Rejection('request.invalid', message, { field: 'stop_loss_price' });
}

/** Position that a bracket's exits could open if they closed all that its entry trades. */
export interface Opposite {
  /** How much of the opposite position the account holds, which the entry closes first. */
  readonly closes: Decimal;
  /** The side of the exits, where they could open a position: there is an opposite one, or the account does not say. */
  readonly laterSides: readonly TradeSide[];
}

/** The opposite position to that which a bracket's entry opens. */
export async function oppositeOf(backend: Backend, bracket: BracketC2S, context: CallContext): Promise<Opposite> {
  const { header, trdSide, code, secMarket } = bracket;
  const side = sideName(exitSideOf(bracket) ?? 0);
  if (header === undefined || side === undefined) return { closes: 0n, laterSides: [] };
  const response = await backend.call(account.getPositions, create(PositionsC2S, { header, refreshCache: true }), context);
  const positions = response.retType === RET_SUCCEED ? payloadOf(account.getPositions, response)?.positionList : undefined;
  if (positions === undefined) return { closes: 0n, laterSides: [side] };
  const closed = trdSide === TrdSide.TrdSide_Buy ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long;
  let closes = 0n;
  for (const position of positions) {
    if (position.code !== code || position.secMarket !== secMarket || position.positionSide !== closed) continue;
    closes += decimalFromNumber(Math.abs(position.qty)) ?? 0n;
  }
  return { closes, laterSides: closes > 0n ? [side] : [] };
}
