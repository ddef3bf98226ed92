import { create } from '@bufbuild/protobuf';
import type { TradeSide } from '@svc-gateway/access';
import { type Decimal, decimalFromNumber, formatDecimal } from '@svc-gateway/contract/decimal';
import { SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { C2SSchema as SnapshotC2S } from '@svc-gateway/contract/generated/svc/snapshot_pb';
import { OrderType, PositionSide, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as PositionsC2S } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { account, quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext } from '../backend.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { sideName } from '../trade-names.js';
import { type BracketTerms, closesLong } from './bracket-entry.js';

/**
 * Reason why an exit is on the wrong side of the last price, where it would go to the market at once; undefined where none is, or no price is known. A
 * take-profit is held against it where the entry trades at the market: of one with a limit, that has to be better than the take-profit.
 */
export async function refuseExits(backend: Backend, bracket: BracketC2S, context: CallContext): Promise<Rejection | undefined> {
  const stop = priceOf(bracket, 'stopLossPrice');
  const target = bracket.orderType === OrderType.OrderType_Market ? priceOf(bracket, 'takeProfitPrice') : 0n;
  const market = quoteMarketOfSecMarket(bracket.secMarket);
  if ((stop === 0n && target === 0n) || market === undefined) return undefined;
  const query = create(SnapshotC2S, { securityList: [create(SecuritySchema, { market: market.number, code: bracket.code })] });
  const snapshot = payloadOf(quote.getSnapshot, await backend.call(quote.getSnapshot, query, context))?.snapshotList[0];
  const last = decimalFromNumber(snapshot?.basic?.curPrice ?? 0) ?? 0n;
  if (last <= 0n) return undefined;
  const isLong = bracket.trdSide === TrdSide.TrdSide_Buy;
  const wrong = (field: string, exit: Decimal, side: string) => {
    const message = `${field}: ${formatDecimal(exit)} is not ${side} the last price ${formatDecimal(last)}: it would close the position at once`;
    return new Rejection('request.invalid', message, { field });
  };
  const [below, above] = isLong ? ['below', 'above'] : ['above', 'below'];
  if (stop > 0n && (isLong ? stop >= last : stop <= last)) return wrong('stop_loss_price', stop, below);
  if (target > 0n && (isLong ? target <= last : target >= last)) return wrong('take_profit_price', target, above);
  return undefined;
}

/** The price of an exit; 0 where it is not given. */
function priceOf(bracket: BracketC2S, name: 'stopLossPrice' | 'takeProfitPrice'): Decimal {
  return Object.hasOwn(bracket, name) ? (decimalFromNumber(bracket[name]) ?? 0n) : 0n;
}

/** Position that a bracket's exits could open if they closed all that its entry trades. */
export interface Opposite {
  /** How much of the opposite position the account holds, which the entry closes first. */
  readonly closes: Decimal;
  /** The side of the exits, where they could open a position: there is an opposite one, or the account does not say. */
  readonly laterSides: readonly TradeSide[];
}

/** The opposite position to that which a bracket's entry opens. */
export async function oppositeOf(
  backend: Backend,
  { header, exitSide, code, secMarket }: Pick<BracketTerms, 'header' | 'exitSide' | 'code' | 'secMarket'>,
  context: CallContext,
): Promise<Opposite> {
  const side = sideName(exitSide);
  if (side === undefined) return { closes: 0n, laterSides: [] };
  const response = await backend.call(account.getPositions, create(PositionsC2S, { header, refreshCache: true }), context);
  const positions = response.retType === RET_SUCCEED ? payloadOf(account.getPositions, response)?.positionList : undefined;
  if (positions === undefined) return { closes: 0n, laterSides: [side] };
  const closed = closesLong(exitSide) ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long;
  let closes = 0n;
  for (const position of positions) {
    if (position.code !== code || position.secMarket !== secMarket || position.positionSide !== closed) continue;
    closes += decimalFromNumber(Math.abs(position.qty)) ?? 0n;
  }
  return { closes, laterSides: closes > 0n ? [side] : [] };
}
