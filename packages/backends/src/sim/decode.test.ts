import { create, toBinary } from '@bufbuild/protobuf';
import { S2CSchema } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { expect, it } from 'vitest';
import { turnsDuring } from '../../../../test/support/turns.js';
import { decodeInTurns } from './decode.js';

it('decodes long messages in turns, to what was encoded', async () => {
  const listed = (index: number) => ({
    basic: {
      security: { market: 1, code: String(index) },
      id: BigInt(index),
      lotSize: 100,
      secType: 3,
      name: `name ${index}`,
      listTime: '',
    },
  });
  const message = create(S2CSchema, { staticInfoList: Array.from({ length: 50_000 }, (_, index) => listed(index)) });
  const bytes = toBinary(S2CSchema, message);
  let decoded: unknown;
  const turns = await turnsDuring(async () => {
    decoded = await decodeInTurns(S2CSchema, bytes);
  });
  expect(decoded).toEqual(message);
  expect(turns).toBeGreaterThan(3);
  expect(await decodeInTurns(S2CSchema, new Uint8Array())).toEqual(create(S2CSchema));
});
