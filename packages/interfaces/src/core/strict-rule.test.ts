import { create } from '@bufbuild/protobuf';
import { KLType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetBasicQot from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import * as QotGetKL from '@svc-gateway/contract/generated/Qot_GetKL_pb';
import * as QotGetStaticInfo from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { describe, expect, it } from 'vitest';
import { checkSubscribed } from './strict-rule.js';

const security = { market: 1, code: '00700' };

describe('the strict rule', () => {
  it('asks for each symbol with the type of the request', () => {
    const asked: string[] = [];
    const holds = (symbol: string, subType: number) => {
      asked.push(`${symbol} ${subType}`);
      return symbol === 'HK.00700';
    };
    const one = create(QotGetBasicQot.C2SSchema, { securityList: [security] });
    expect(checkSubscribed(3004, one, holds)).toBeUndefined();
    const two = create(QotGetBasicQot.C2SSchema, { securityList: [security, { market: 11, code: 'AAPL' }] });
    expect(checkSubscribed(3004, two, holds)).toMatchObject({
      code: 'request.not_subscribed',
      message: 'US.AAPL is not subscribed to on this connection: subscribe to type 1 (Basic) with Qot_Sub first',
    });
    expect(asked).toEqual(['HK.00700 1', 'HK.00700 1', 'US.AAPL 1']);
  });

  it('knows a subscription type for each K-line of the protocol', () => {
    const types = Object.values(KLType).filter((value) => typeof value === 'number' && value !== KLType.KLType_Unknown) as number[];
    const needed = types.map((klType) => {
      let found: number | undefined;
      checkSubscribed(3006, create(QotGetKL.C2SSchema, { security, klType, rehabType: 1, reqNum: 1 }), (_, subType) => {
        found = subType;
        return true;
      });
      return found;
    });
    expect(needed).not.toContain(undefined);
    expect(new Set(needed).size).toBe(types.length);
    // 1 minute, day, week.
    expect(needed.slice(0, 3)).toEqual([11, 6, 12]);
  });

  it('leaves what is no live data alone, and what is no symbol to the operation', () => {
    const never = () => false;
    expect(checkSubscribed(3202, create(QotGetStaticInfo.C2SSchema, { securityList: [security] }), never)).toBeUndefined();
    const odd = create(QotGetBasicQot.C2SSchema, { securityList: [{ market: 77, code: 'X' }] });
    expect(checkSubscribed(3004, odd, never)).toBeUndefined();
  });
});
