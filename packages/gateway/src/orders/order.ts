import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  ModifyOrderOp,
  type Order,
  OrderStatus,
  type Position,
  PositionSide,
  type TrdHeader,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as ModifyC2S, C2SSchema as ModifyC2SSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { Response as OrderUpdate } from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { quoteMarketOfSecMarket, symbolOf } from '@svc-gateway/contract/markets';
import { Rejection, type StandingTerms, type TradedSecurity } from '@svc-gateway/contract/rejection';
import type { PushEvent } from '../backend.js';
import { ORDER_PUSH } from '../push/push-messages.js';
import { sideName } from '../trade-names.js';
import { securitiesOf } from '../visibility.js';

/** The order of a push; undefined for a push of anything else. */
export function pushedOrder(event: PushEvent): Order | undefined {
  return event.type === 'trade' && event.protoId === ORDER_PUSH ? (event.message as unknown as OrderUpdate).s2c?.order : undefined;
}

/** The statuses of orders that trade no more. One that is disabled may be enabled again; the trades of one that is filled may be taken back. */
export const finalStatuses: ReadonlySet<number> = new Set([
  OrderStatus.OrderStatus_SubmitFailed,
  OrderStatus.OrderStatus_Filled_All,
  OrderStatus.OrderStatus_Cancelled_Part,
  OrderStatus.OrderStatus_Cancelled_All,
  OrderStatus.OrderStatus_Failed,
  OrderStatus.OrderStatus_Deleted,
  OrderStatus.OrderStatus_FillCancelled,
]);

/** The legs of an order in words: "BUY 1 US.AAPL + SELL 2 US.MSFT". */
export function legsText(legs: readonly ComboLeg[]): string {
  return legs
    .map(({ security, side, qtyRatio }) => {
      const symbol = security === undefined ? '?' : (symbolOf(security) ?? security.code);
      return `${sideName(side) ?? side} ${qtyRatio} ${symbol}`;
    })
    .join(' + ');
}

/** Marks a refusal with the order or position that it is of, for the audit trail; one that is marked stays as it is. */
export function ofStandingTerms(rejection: Rejection, order: StandingTerms): Rejection {
  if (rejection.details.order !== undefined) return rejection;
  return new Rejection(rejection.code, rejection.message, { ...rejection.details, order });
}

/** Terms of an existing order. @param trading its trading market where the record has none. */
export function termsOfOrder(order: Order, trading: number): StandingTerms {
  const { comboLegs, trdSide, qty, price } = order;
  const isCombo = comboLegs.length > 0;
  return {
    securities: securitiesOf(order, trading),
    symbol: isCombo ? legsText(comboLegs) : symbolOfOrder(order),
    side: isCombo ? undefined : sideName(trdSide),
    qty: decimalFromNumber(qty),
    price: price === 0 ? undefined : decimalFromNumber(price),
  };
}

/** Terms of the orders that reverse or roll a position: the side is that which closes it. */
export function termsOfLegs(legs: readonly (TradedSecurity & Pick<StandingTerms, 'side' | 'qty'>)[]): StandingTerms {
  const [closing] = legs;
  return { symbol: joined(legs), securities: legs, side: closing?.side, qty: closing?.qty };
}

/** Terms of the orders that reverse a position, or roll it into `target`. */
export function termsOfPosition(
  position: Position,
  target: Pick<Position, 'code' | 'secMarket'> | undefined,
  trading: number,
): StandingTerms {
  const { trdMarket, qty, positionSide } = position;
  const securities = [position, ...(target === undefined ? [] : [target])].flatMap(({ secMarket, code }) =>
    securitiesOf({ trdMarket, secMarket, code }, trading),
  );
  const isLong = positionSide === PositionSide.PositionSide_Long;
  return { symbol: joined(securities), securities, side: isLong ? 'SELL' : 'BUY', qty: decimalFromNumber(Math.abs(qty)) };
}

function joined(securities: readonly { readonly symbol: string }[]): string {
  return [...new Set(securities.map(({ symbol }) => symbol))].join(' + ');
}

/** Lists that lack an order show that it is over where they are so far apart: longer than any list has been behind. */
export const LISTS_APART_MS = 5_000;
/** How long an order is looked for whose answer was lost. */
export const LOST_MS = 60_000;

/** The statuses of an order that a cancel can still reach. */
export const workingStatuses: readonly number[] = [
  OrderStatus.OrderStatus_Unsubmitted,
  OrderStatus.OrderStatus_WaitingSubmit,
  OrderStatus.OrderStatus_Submitting,
  OrderStatus.OrderStatus_Submitted,
  OrderStatus.OrderStatus_Filled_Part,
];

export function isWorking({ orderStatus }: Order): boolean {
  return workingStatuses.includes(orderStatus);
}

/** Names of an order, a text and a number; 0 or empty where a name is not known. */
export type OrderName = Pick<Order, 'orderID' | 'orderIDEx'>;

/** Display name of an order: its text, or its number where it has none. */
export function nameOfOrder({ orderID, orderIDEx }: OrderName): string {
  return orderIDEx || String(orderID);
}

/** Names an order of an account in a map. */
export function orderKey(accId: bigint, name: string): string {
  return `${accId}/${name}`;
}

/** Names of an order: its text where it has one, then its number. */
export function namesOf({ orderID, orderIDEx }: OrderName): string[] {
  return [orderIDEx, String(orderID)].filter((name) => name !== '' && name !== '0');
}

/** The statuses of an order that may still trade: those that work, and those whose end is not sure yet. */
export const openStatuses: readonly number[] = [
  ...workingStatuses,
  OrderStatus.OrderStatus_TimeOut,
  OrderStatus.OrderStatus_Unknown,
  OrderStatus.OrderStatus_Cancelling_Part,
  OrderStatus.OrderStatus_Cancelling_All,
];

export function mayTrade({ orderStatus }: Pick<Order, 'orderStatus'>): boolean {
  return openStatuses.includes(orderStatus);
}

/** Whether an order is on its way out already. */
export function isCancelling({ orderStatus }: Pick<Order, 'orderStatus'>): boolean {
  return orderStatus === OrderStatus.OrderStatus_Cancelling_Part || orderStatus === OrderStatus.OrderStatus_Cancelling_All;
}

/** A cancel that the daemon itself sends. It needs no packet id: two of it cancel nothing twice. */
export function ownCancel(
  header: TrdHeader,
  named: { readonly orderID: bigint; readonly orderIDEx?: string; readonly forAll?: boolean; readonly trdMarket?: number },
): ModifyC2S {
  const packetID = { connID: 0n, serialNo: 0 };
  return create(ModifyC2SSchema, { packetID, header, modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel, ...named });
}

/** Whether an order trades several securities together. */
export function isCombo({ comboLegs }: Pick<Order, 'comboLegs'>): boolean {
  return comboLegs.length > 1;
}

/** Symbol of a listed order or position. */
export function symbolOfOrder({ code, secMarket }: Pick<Order, 'code' | 'secMarket'>): string {
  return `${quoteMarketOfSecMarket(secMarket)?.name ?? secMarket}.${code}`;
}

/** A quantity without its sign, which the brokerage writes before short positions. What is no exact number is 0. */
export function magnitude(quantity: number): Decimal {
  return decimalFromNumber(Math.abs(quantity)) ?? 0n;
}
