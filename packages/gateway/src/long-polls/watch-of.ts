import { isFieldSet } from '@bufbuild/protobuf';
import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type C2S, C2SSchema } from '@svc-gateway/contract/generated/svc/wait_for_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { Rejection } from '@svc-gateway/contract/rejection';
import { MarketWatch } from './market-watch.js';
import { OrderWatch } from './order-watch.js';
import { figures, PriceWatch } from './price-watch.js';
import type { Watch } from './watch.js';

/** svc.wait_for.C2S.condition. */
const conditions = { price: 1, order: 2, market: 3 } as const;

/** The fields that each condition is made of. A field of another one says something that would not be done. */
const own: Readonly<Record<keyof typeof conditions, readonly string[]>> = {
  price: ['security', 'figure', 'relation', 'price'],
  order: ['header', 'order_id', 'order_id_ex', 'order_status_list'],
  market: ['security', 'market_state_list'],
};
const common = ['condition', 'timeout'];

/** The watch for a request's condition, or a rejection of arguments that the declaration alone cannot check. */
export function watchOf(request: C2S): Watch | Rejection {
  const name = conditionNames.find((each) => conditions[each] === request.condition);
  if (name === undefined) return invalid('condition', `condition: expected ${conditionNames.join(', ')}, found ${request.condition}`);
  const foreign = C2SSchema.fields.find(
    (field) => isFieldSet(request, field) && !own[name].includes(field.name) && !common.includes(field.name),
  );
  if (foreign !== undefined && saysSomething(request, foreign.localName))
    return invalid(foreign.name, `${foreign.name}: not a field of condition ${name}, which takes ${own[name].join(', ')}`);
  if (name === 'order') return orderWatch(request);
  const { security } = request;
  const symbol = security && symbolOf(security);
  if (security === undefined || symbol === undefined)
    return invalid('security', `security: no quote market has the number ${security?.market}`);
  if (name === 'market') return new MarketWatch({ symbol, security, states: request.marketStateList });
  const price = decimalFromNumber(request.price);
  if (price === undefined) return invalid('price', `price: expected a number of at most nine decimal places, found ${request.price}`);
  const figure = isFieldSet(request, C2SSchema.field.figure) ? request.figure : figures.last;
  return new PriceWatch({ symbol, security, figure, relation: request.relation, price });
}

const conditionNames = Object.keys(conditions) as (keyof typeof conditions)[];

function orderWatch({ header, orderId, orderIdEx, orderStatusList }: C2S): Watch | Rejection {
  if (header === undefined) return invalid('header', 'header: names the account of the order');
  return new OrderWatch({ header, orderId, orderIdEx, statuses: orderStatusList });
}

/** Clients of the public protocol send 0 and the empty text for what they do not set. */
function saysSomething(request: C2S, localName: string): boolean {
  const value = (request as unknown as Record<string, unknown>)[localName];
  return value !== 0 && value !== 0n && value !== '';
}

function invalid(field: string, message: string): Rejection {
  return new Rejection('request.invalid', message, { field });
}
