import { hash } from 'node:crypto';
import type { DescMessage } from '@bufbuild/protobuf';
import { askedText } from '@svc-gateway/contract/asked-text';
import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { C2S as ReconfirmC2S } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { quoted } from '@svc-gateway/contract/shown';
import type { Account } from '../brokerage/account.js';
import type { Brokerage } from '../brokerage/index.js';
import type { OrderRecord } from '../brokerage/order.js';
import type { LegRequest, Write } from '../brokerage/place-request.js';
import type { PriceAdjustment } from '../brokerage/price.js';
import { type TrailType, tradeSides, trailTypes } from '../brokerage/terms.js';
import { Refusal } from '../refusal.js';

type WriteC2S = PlaceC2S | ComboC2S | ModifyC2S | ReconfirmC2S;

/** Identity of a write for recognising retries; none where both parts of its packet number are 0. */
export function writeOf(schema: DescMessage, request: WriteC2S): Write {
  const { packetID: packet } = request;
  if (packet === undefined || (packet.connID === 0n && packet.serialNo === 0)) return { packet: undefined, fingerprint: '' };
  return { packet: { connId: packet.connID, serialNo: packet.serialNo }, fingerprint: fingerprintOf(schema, request) };
}

/** A digest of everything that a write asks for, its packet number aside. Messages of one type only are compared. */
function fingerprintOf(schema: DescMessage, request: WriteC2S): string {
  return hash('sha256', askedText(schema, request, 'packetID'), 'base64url');
}

/** Both parts are needed for an adjustment. */
export function adjustmentOf(request: { adjustPrice: boolean; adjustSideAndLimit: number }): PriceAdjustment | undefined {
  return request.adjustPrice && request.adjustSideAndLimit !== 0 ? { limit: request.adjustSideAndLimit } : undefined;
}

export function trailOf(request: { trailType: number; trailValue: number }): { type: TrailType; value: number } | undefined | Refusal {
  if (request.trailType === 0) return undefined;
  const type = trailTypes.wordOf(request.trailType);
  return type === undefined
    ? new Refusal(trailTypes.unknown(request.trailType), 'broker.enumeration')
    : { type, value: request.trailValue };
}

/** The order that a request names: by `orderIDEx` where it is given, otherwise by `orderID`. */
export function orderNamed(
  brokerage: Brokerage,
  account: Account,
  { orderID = 0n, orderIDEx = '' }: { readonly orderID?: bigint; readonly orderIDEx?: string },
): OrderRecord | Refusal {
  const order = orderIDEx === '' ? brokerage.order(orderID) : brokerage.orderByIdEx(orderIDEx);
  if (order?.accId === account.id) return order;
  return new Refusal(`account ${account.id} has no order ${orderIDEx === '' ? orderID : quoted(orderIDEx)}`, 'broker.unknown_order');
}

/** The legs of a request, in the brokerage's terms. Ratios are not checked yet. */
export function comboLegsOf(comboLegs: readonly ComboLeg[]): LegRequest[] | Refusal {
  const legs: LegRequest[] = [];
  for (const [index, { security, side: number, qtyRatio, positionID }] of comboLegs.entries()) {
    const market = quoteMarketNumbered(security?.market ?? 0);
    if (security === undefined || market === undefined)
      return new Refusal(`comboLegs[${index}]: unknown quote market ${security?.market}`, 'broker.enumeration');
    const side = tradeSides.wordOf(number);
    if (side === undefined) return new Refusal(`comboLegs[${index}]: ${tradeSides.unknown(number)}`, 'broker.enumeration');
    legs.push({ code: security.code, secMarket: market.secMarket, side, ratio: qtyRatio, positionId: positionID });
  }
  return legs;
}
