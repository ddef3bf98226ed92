import { create } from '@bufbuild/protobuf';
import { C2SSchema as UnlockSchema } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { describe, expect, it } from 'vitest';
import { Fixture, ids } from '../../../../../test/support/brokerage.js';
import { answer, refusal } from '../../../../../test/support/settled.js';
import { unlockTrade } from './orders.js';

const buy = { code: '00700', qty: 200, price: 600 };

describe('unlocking', () => {
  const right = 'e10adc3949ba59abbe56e057f20f883e';
  const wrong = '0'.repeat(32);
  const unlock = (f: Fixture, pwdMD5: string) => unlockTrade(f.simulation, create(UnlockSchema, { unlock: true, pwdMD5 }));

  it('opens the real account to orders, and locking closes it', async () => {
    const f = Fixture.open();
    await answer(unlock(f, right));
    const id = await f.place(ids.real, buy);
    await answer(unlockTrade(f.simulation, create(UnlockSchema, { unlock: false })));
    expect(await f.cancel(ids.real, id)).toContain('trading is locked');
  });

  it('names what is wrong, and pauses after five wrong passwords', async () => {
    const f = Fixture.open();
    expect(await refusal(unlock(f, '123456'))).toContain('32 hexadecimal digits');
    for (let left = 4; left > 0; left -= 1) expect(await refusal(unlock(f, wrong))).toBe(`wrong trade password (${left} tries left)`);
    expect(await refusal(unlock(f, wrong))).toContain('no more tries for 60 s');
    expect(await refusal(unlock(f, right))).toContain('try again in 60 s');
    await f.pass(60_000);
    await answer(unlock(f, right));
  });

  it('takes the hex digits of the right password in either case', async () => {
    await answer(unlock(Fixture.open(), right.toUpperCase()));
  });
});
