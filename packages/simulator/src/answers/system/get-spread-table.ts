import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type S2C,
  S2CSchema,
  type SpreadItem,
  SpreadItemSchema,
  SpreadTableSchema,
} from '@svc-gateway/contract/generated/svc/spread_table_pb';
import type { Answer } from '../../view/facts.js';
import type { TickTable } from '../../world/instrument.js';

/** The tick tables in use, in the order in which the instruments name them first. */
export const getSpreadTable: Answer<'world', C2S, S2C> = ({ world }) => {
  const tables = new Map(world.instruments().map(({ tickTable }) => [tickTable.name, tickTable]));
  const spreadTableList = [...tables.values()].map((table) =>
    create(SpreadTableSchema, { spreadCode: table.name, spreadItemList: items(table) }),
  );
  return create(S2CSchema, { spreadTableList });
};

function items(table: TickTable): SpreadItem[] {
  let from = 0n;
  return table.steps.map(({ below, tick }) => {
    const item = create(SpreadItemSchema, {
      priceFrom: decimalToNumber(from),
      // The last step has no end, which the protocol writes as 0.
      priceTo: decimalToNumber(below ?? 0n),
      value: decimalToNumber(tick),
    });
    from = below ?? from;
    return item;
  });
}
