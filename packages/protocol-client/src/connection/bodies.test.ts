import { create, toBinary } from '@bufbuild/protobuf';
import * as ForexConstituents from '@svc-gateway/contract/generated/svc/forex_constituents_pb';
import { expect, it } from 'vitest';
import { readResponse } from './bodies.js';

const { ResponseSchema, S2CSchema, ConstituentListSchema } = ForexConstituents;
const answer = (list: ForexConstituents.ConstituentList) =>
  create(ResponseSchema, { retType: 0, s2c: create(S2CSchema, { backendRet: 0, list }) });

it('an answer without its list is none; one with an empty list is', () => {
  const bytes = toBinary(ResponseSchema, answer(create(ConstituentListSchema, { listId: 1 })));
  expect(readResponse(ForexConstituents, bytes)).toMatchObject({ retType: 0, s2c: { list: { listId: 1, stockInfo: [] } } });
  // retType 0 and a payload of backend_ret 0 alone: writers refuse to leave a required field out.
  expect(readResponse(ForexConstituents, new Uint8Array([0x08, 0x00, 0x22, 0x02, 0x08, 0x00]))).toBeUndefined();
});
