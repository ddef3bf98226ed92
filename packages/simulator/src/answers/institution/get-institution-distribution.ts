import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  IndustryDistributionItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetInstitutionDistribution_pb';
import { heldMarket } from '@svc-gateway/contract/institution-enums';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { type Industry, industryPlate } from '../../world/plates.js';
import { percentOf } from '../research/money.js';
import { amount, bookOf, institutionOf } from './books.js';

/** Qot_GetInstitutionDistribution: an institution's holdings in a market by industry, the largest first; they add up to its position value. An industry's number is that of its plate. */
export const getInstitutionDistribution: Answer<'world' | 'companies' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const institution = institutionOf(request.institutionId);
  if (institution instanceof Refusal) return institution;
  const { positions } = bookOf(facts, market);
  const values = new Map<Industry, bigint>();
  for (const { industry, value } of positions.get(institution) ?? []) values.set(industry, (values.get(industry) ?? 0n) + value);
  const whole = [...values.values()].reduce((sum, value) => sum + value, 0n);
  const dataList = [...values]
    .filter(([, value]) => value > 0n)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
    .map(([industry, value]) => {
      const plate = industryPlate(market, industry);
      const index = plate === undefined ? undefined : facts.world.instrument(plate.symbol);
      return create(IndustryDistributionItemSchema, {
        positionValue: amount(value),
        ...known({ industryId: index?.id, industryName: plate?.name, portfolioPct: percentOf(Number(value), Number(whole)) }),
      });
    });
  return create(S2CSchema, { dataList });
};
