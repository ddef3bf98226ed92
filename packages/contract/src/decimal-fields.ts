import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { decimalFromNumber, roundNumber } from './decimal.js';
import { fieldValue } from './field-path.js';
import { futuresMarkets } from './markets.js';
import { type FieldAct, MessageActs } from './message-fields.js';

/**
 * Prices and quantities of requests, which are decimals in the `double` of the protocol. Programs that compute in binary floats send
 * 0.30000000000000004: over the public protocol it is rounded to the protocol's decimal places, as OpenD does; JSON callers are refused,
 * with the rounded value. Places by kind:
 * - `price`: 3 for securities and 9 for futures, as Trd_PlaceOrder.proto says.
 * - `quantity`: 2, as Trd_Common.proto says of orders and positions. Whether fractions are traded is up to the brokerage.
 * - `exact`: 9, the finest of the protocol: ratios, and prices of what may be a future or a currency pair.
 */
type DecimalKind = 'price' | 'quantity' | 'exact';

const triggers = { auxPrice: 'price', trailValue: 'price', trailSpread: 'price' } as const;

const decimalFields: Readonly<Record<string, Readonly<Record<string, DecimalKind>>>> = {
  'Trd_PlaceOrder.C2S': { qty: 'quantity', price: 'price', amount: 'exact', adjustSideAndLimit: 'exact', ...triggers },
  'Trd_ModifyOrder.C2S': { qty: 'quantity', price: 'price', adjustSideAndLimit: 'exact', ...triggers },
  'Trd_PlaceComboOrder.C2S': { qty: 'quantity', price: 'price' },
  'Trd_GetMaxTrdQtys.C2S': { price: 'price', adjustSideAndLimit: 'exact' },
  'Trd_GetComboMaxTrdQtys.C2S': { qty: 'quantity', price: 'price' },
  'Qot_Common.ComboLeg': { qtyRatio: 'exact' },
  'Qot_SetPriceReminder.C2S': { value: 'exact' },
  'svc.place_bracket_order.C2S': {
    qty: 'quantity',
    price: 'price',
    take_profit_price: 'price',
    stop_loss_price: 'price',
    stop_loss_limit_price: 'price',
  },
  'svc.wait_for.C2S': { price: 'exact' },
};

const FUTURES_PLACES = 9;
const placesOf: Readonly<Record<DecimalKind, number>> = { price: 3, quantity: 2, exact: 9 };

/** The kind of a price or quantity; undefined of other fields. */
export function decimalKind({ parent, name }: DescField): DecimalKind | undefined {
  return decimalFields[parent.typeName]?.[name];
}

/** Whether a decimal of nine places, the finest of the protocol, spells a number. */
export function isDecimal(value: number): boolean {
  return decimalFromNumber(value) !== undefined;
}

/** The decimal of nine places that is nearest to a number. */
export function nearestDecimal(value: number): number {
  return roundNumber(value, FUTURES_PLACES);
}

const rounders = new MessageActs<boolean>(rounded);

/** Rounds the prices and quantities of a `C2S`; undefined where it has none. A value that would become 0 says something else then, and stays. */
export function decimalRounder(desc: DescMessage): ((c2s: Message) => void) | undefined {
  const round = rounders.of(desc);
  if (round === undefined) return undefined;
  const market = desc.field.header?.message?.field.trdMarket === undefined ? undefined : fieldValue(desc, 'header.trdMarket');
  return (c2s) => round(c2s, '', futuresMarkets.has(market?.(c2s) as number));
}

function rounded(field: DescField): FieldAct<boolean> | undefined {
  const kind = decimalKind(field);
  if (kind === undefined) return undefined;
  return (value, _path, ofFutures, fields) => {
    const places = ofFutures && kind === 'price' ? FUTURES_PLACES : placesOf[kind];
    fields[field.localName] = roundNumber(value as number, places) || value;
  };
}
