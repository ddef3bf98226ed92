import { create, type DescMessage, type Message } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import type { Dialect } from './enums.js';
import { BracketSchema } from './generated/svc/get_brackets_pb.js';
import { OrderSchema } from './generated/Trd_Common_pb.js';
import { messageWriter } from './json/message-json.js';
import { snakeCase } from './names.js';
import { trade } from './operations/index.js';
import { orderFields } from './order-words.js';

const text = 'auxPrice 5 is below trdSide 1 (buy) of order type 16 (twap_market), says "auxPrice"';
const said: readonly (readonly [Dialect, string])[] = [
  ['rest', 'aux_price 5 is below side 1 (BUY) of order type 16 (TWAP_MARKET), says "auxPrice"'],
  ['mcp', 'aux_price 5 is below side BUY (1) of order type TWAP_MARKET (16), says "auxPrice"'],
];
const stored: readonly (readonly [name: string, desc: DescMessage, message: Message, field: string])[] = [
  ['order', OrderSchema, create(OrderSchema, { lastErrMsg: text }), 'last_err_msg'],
  ['bracket', BracketSchema, create(BracketSchema, { note: text }), 'note'],
];

it.each(stored.flatMap((each) => said.map((one) => [...each, ...one] as const)))(
  'the stored text of an %s is in the words of its reader',
  (_, desc, message, field, dialect, words) => {
    expect(JSON.parse(messageWriter(desc, dialect)(message))[field]).toBe(words);
  },
);

it.each(['rest', 'mcp'] as const)('an order’s fields have the names that %s callers send', (dialect) => {
  for (const { field, name, inTools, only, hidden } of trade.placeOrder.shape) {
    if (hidden || (only !== undefined && only !== dialect)) continue;
    const own = field.slice(field.lastIndexOf('.') + 1);
    // Words in lower case are left as they are.
    if (own === own.toLowerCase()) continue;
    expect([own, orderFields.get(own) ?? snakeCase(own)]).toEqual([own, dialect === 'mcp' ? (inTools ?? name) : name]);
  }
});
