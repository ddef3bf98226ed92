import { create, isFieldSet } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '../../../contract/decimal.js';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '../../../contract/generated/svc/risk_free_rate_pb.js';
import { keyOf, uniform } from '../../chance/random.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

const DAY_MS = 86_400_000;
/** One hundredth of a percent, in the raw values' 10^-9 of a percent. */
const BASIS_POINT: Decimal = 10_000_000n;

/** Typical level and largest deviation from it, in basis points. */
const areas = { hk: [320, 60], us: [400, 60], jp: [50, 30] } as const;

/** How long a rate takes from one random level to the next. */
const DRIFT_DAYS = 90;

/**
 * Made-up rates, a function of the date alone: each wanders between random levels, a quarter apart. They are fixed at
 * midnight UTC; `rate_time` selects the fixing in force then, and the latest without it.
 */
export const getRiskFreeRate: Answer<'clock', C2S, S2C> = ({ clock }, request) => {
  const now = clock.now();
  // 0 is a time: the beginning of 1970.
  const time = isFieldSet(request, C2SSchema.field.rateTime) ? Number(request.rateTime) : now;
  if (time < 0) return new Refusal('rate_time is before 1970: no rate is known for it');
  if (time > now) return new Refusal('rate_time lies in the future: no rate is fixed yet');
  const day = Math.floor(time / DAY_MS);
  const [hk, us, jp] = [rateOn(day, 'hk'), rateOn(day, 'us'), rateOn(day, 'jp')];
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

function rateOn(day: number, area: keyof typeof areas): Decimal {
  const [level, deviation] = areas[area];
  const key = keyOf(`risk-free ${area}`);
  const quarter = Math.floor(day / DRIFT_DAYS);
  const passed = (day - quarter * DRIFT_DAYS) / DRIFT_DAYS;
  const position = uniform(key, quarter) * (1 - passed) + uniform(key, quarter + 1) * passed;
  return BigInt(Math.round(level + deviation * (2 * position - 1))) * BASIS_POINT;
}
