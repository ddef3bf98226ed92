import { create, isFieldSet } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/risk_free_rate_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { riskFreeRate } from '../../world/risk-free-rate.js';

const DAY_MS = 86_400_000;
/**
 * Made-up rates, a function of the date alone. They are fixed at midnight UTC; `rate_time` selects the fixing in force then, and the latest without it.
 */
export const getRiskFreeRate: Answer<'clock', C2S, S2C> = ({ clock }, request) => {
  const now = clock.now();
  // 0 is a time: the beginning of 1970.
  const time = isFieldSet(request, C2SSchema.field.rateTime) ? Number(request.rateTime) : now;
  if (time < 0) return new Refusal('rate_time is before 1970: no rate is known for it');
  if (time > now) return new Refusal('rate_time lies in the future: no rate is fixed yet');
  const day = Math.floor(time / DAY_MS);
  const [hk, us, jp] = [riskFreeRate(day, 'hk'), riskFreeRate(day, 'us'), riskFreeRate(day, 'jp')];
  return create(S2CSchema, {
    hkRatePct: decimalToNumber(hk),
    usRatePct: decimalToNumber(us),
    jpRatePct: decimalToNumber(jp),
    hkRate: hk,
    usRate: us,
    jpRate: jp,
    rateTime: BigInt(day * DAY_MS),
  });
};
