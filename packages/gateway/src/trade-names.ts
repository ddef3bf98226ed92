import type { TradeSide } from '@svc-gateway/access';
import * as enums from '@svc-gateway/contract/enums';
import { PredSide } from '@svc-gateway/contract/generated/Common_pb';
import { OrderType, TimeInForce } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { snakeCase } from '@svc-gateway/contract/names';

/** The names of the public protocol's trading numbers, as the enumerations' tables write them. */

export function marketName(trading: number): string {
  return nameIn(enums.trdMarket, trading) ?? String(trading);
}

export function sideName(side: number): TradeSide | undefined {
  return nameIn(enums.trdSide, side) as TradeSide | undefined;
}

/** "1 (BUY), 2 (SELL), …": the sides that orders may have. */
export const acceptedSides = enums.trdSide.members.map(({ public: number, name }) => `${number} (${name})`).join(', ');

/** "31 (SH)": a security market, possibly unknown. */
export function secMarketText(number: number): string {
  const name = nameIn(enums.secMarket, number);
  return name === undefined ? String(number) : `${number} (${name})`;
}

/** "31 (SH), 32 (SZ)". */
export function secMarketList(numbers: readonly number[]): string {
  return numbers.map(secMarketText).join(', ');
}

/** "NORMAL"; types that callers of the core protocol alone can use are named after it: "STOP_LIMIT". */
export function orderTypeName(type: number): string {
  return nameIn(enums.orderType, type) ?? protocolName(OrderType[type], type);
}

/** "Submitted", "Filled_Part". */
export function orderStatusName(status: number): string {
  return nameIn(enums.orderStatus, status) ?? String(status);
}

export function timeInForceName(number: number): string {
  return nameIn(enums.timeInForce, number) ?? protocolName(TimeInForce[number], number);
}

/** "RTH", "ALL". */
export function sessionName(number: number): string {
  return nameIn(enums.orderSession, number) ?? String(number);
}

/** "RATIO", "AMOUNT". */
export function trailTypeName(number: number): string {
  return nameIn(enums.trailType, number) ?? String(number);
}

/** "YES", "NO": of a prediction contract. */
export function predictionSideName(number: number): string {
  return protocolName(PredSide[number], number);
}

/** "normal", "cancel"; undefined for a number that is no operation. */
export function modifyOpName(op: number): string | undefined {
  return nameIn(enums.modifyOrderOp, op);
}

function nameIn(enumeration: enums.Enumeration, number: number): string | undefined {
  return enumeration.members.find((member) => member.public === number)?.name;
}

/** "OrderType_StopLimit" → "STOP_LIMIT". */
function protocolName(generated: string | undefined, number: number): string {
  return generated === undefined ? String(number) : snakeCase(generated.slice(generated.indexOf('_') + 1)).toUpperCase();
}
