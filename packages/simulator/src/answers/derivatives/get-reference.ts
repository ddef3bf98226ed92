import { ReferenceType } from '@svc-gateway/contract/generated/Qot_GetReference_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateTerms } from '../../view/locate.js';
import { staticInfo } from '../../view/static-info.js';
import type { Instrument } from '../../world/index.js';
import type { AnswerTo } from '../table.js';

/** Qot_GetReference: the warrants on a security, or the dated contracts of the product that a future belongs to, or that are on an index. */
export const getReference: AnswerTo<typeof declared.getReference> = (facts, { security, referenceType }) => {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  return answer(facts, listing.instrument, referenceType);
};

function answer(facts: Facts<'world' | 'listings'>, instrument: Instrument, type: ReferenceType) {
  const found = type === ReferenceType.ReferenceType_Future ? futuresOf(facts, instrument) : facts.world.warrants(instrument);
  const staticInfoList = found.map((one) => staticInfo(facts, facts.listings.of(one)));
  return { staticInfoList };
}

function futuresOf({ world }: Facts<'world'>, instrument: Instrument): readonly Instrument[] {
  const { market } = instrument;
  return world.listed({ market, kind: 'future' }).filter((one) => {
    if (one.kind !== 'future' || one.future.month === undefined) return false;
    return instrument.kind === 'future'
      ? one.future.product === instrument.future.product
      : one.future.product.underlying === instrument.symbol;
  });
}
