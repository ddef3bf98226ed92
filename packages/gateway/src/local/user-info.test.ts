import { create, type MessageShape } from '@bufbuild/protobuf';
import { C2SSchema, type ResponseSchema } from '@svc-gateway/contract/generated/GetUserInfo_pb';
import { system } from '@svc-gateway/contract/operations';
import { expect, it } from 'vitest';
import { context, startFixture } from '../../../../test/support/sim-backend.js';
import type { LocalCall } from './index.js';
import { getUserInfo } from './user-info.js';

it('says the subscription quota that counts, where quotas are asked for', async () => {
  const { backend } = await startFixture();
  const ask = async (flag: number) => {
    const call = { operation: system.getUserInfo, request: create(C2SSchema, { flag }), identity: { owner: 'key:a' }, context };
    const response = (await getUserInfo(backend, (owner) => (owner === 'key:a' ? 250 : 0)).answer(
      call as unknown as LocalCall,
    )) as MessageShape<typeof ResponseSchema>;
    return response.s2c;
  };
  expect(await ask(0)).toMatchObject({ subQuota: 250, nickName: 'Simulated User' });
  expect(await ask(1)).not.toMatchObject({ subQuota: 250 });
  await backend.stop();
});
