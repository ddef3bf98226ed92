import type { Message } from '@bufbuild/protobuf';
import { type Enumeration, klType, marketState, orderStatus, rehabType } from '@svc-gateway/contract/enums';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { Operation, RequestOf } from '@svc-gateway/contract/operation';
import { quote, trade } from '@svc-gateway/contract/operations';
import { type Gateway, isIdle, payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import type { ExtraFields } from './result.js';

/** Extra fields of an answer: time zone, currency and adjustment of K-lines, and the state of a new order. */
export async function extraFields(gateway: Gateway, operation: Operation, request: Message, answer: ResponseMessage): Promise<ExtraFields> {
  if (operation === quote.getKline || operation === quote.getHistoryKline) return ofBars(gateway, request as BarsRequest);
  if (operation !== trade.placeOrder) return {};
  const { orderIDEx = '' } = payloadOf(trade.placeOrder, answer) ?? {};
  return ofOrder(gateway, request as RequestOf<typeof trade.placeOrder>, orderIDEx);
}

interface BarsRequest extends Message {
  readonly security?: Security;
  readonly klType: number;
  readonly rehabType: number;
}

async function ofBars(gateway: Gateway, { security, klType: length, rehabType: adjustment }: BarsRequest): Promise<ExtraFields> {
  const market = quoteMarketNumbered(security?.market ?? 0);
  if (security === undefined || market === undefined) return {};
  // A currency pair is quoted in its second currency.
  const money = market.name === 'FX' ? security.code.slice(-3) : ((await gateway.priceCurrency(security)) ?? market.currency);
  const named = { kl_type: nameOf(klType, length), rehab_type: nameOf(rehabType, adjustment), time_zone: market.timeZone, currency: money };
  return texts(named);
}

async function ofOrder(gateway: Gateway, request: RequestOf<typeof trade.placeOrder>, orderIDEx: string): Promise<ExtraFields> {
  const { orderStatus: status, marketState: state, fillQty } = await gateway.orderStanding(request, orderIDEx);
  const rests = state !== undefined && isIdle(state) && fillQty === 0;
  return texts({
    ...(status === undefined ? {} : { order_status: nameOf(orderStatus, status) }),
    ...(state === undefined ? {} : { market_state: nameOf(marketState, state) }),
    ...(rests ? { note: `the market is closed (${nameOf(marketState, state)}): nothing has traded` } : {}),
  });
}

function nameOf({ members }: Enumeration, value: number): string {
  return members.find((member) => member.public === value)?.name ?? String(value);
}

function texts(values: Readonly<Record<string, string>>): ExtraFields {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
}
