import { create } from '@bufbuild/protobuf';
import { PlateInfoSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, type S2C, S2CSchema, SecurityOwnerPlateSchema } from '@svc-gateway/contract/generated/Qot_GetOwnerPlate_pb';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import { plateSecurity, platesOn, plateTypes } from '../../view/plates.js';

/** As many as the public protocol's servers take. */
const SYMBOLS_MAX = 200;

/** Qot_GetOwnerPlate: the plates that each security belongs to today. What is no stock belongs to none. */
export const getOwnerPlate: Answer<'companies' | 'world' | 'listings', C2S, S2C> = (facts, { securityList }) => {
  const listings = locateAllTerms(facts, securityList, SYMBOLS_MAX);
  return listings instanceof Refusal ? listings : answer(facts, listings);
};

function answer(facts: Facts<'companies' | 'world'>, listings: readonly Listing[]): S2C {
  const ownerPlateList = listings.map((listing) =>
    create(SecurityOwnerPlateSchema, {
      security: listing.security,
      name: listing.instrument.name,
      plateInfoList: platesOn(facts, listing).map((plate) =>
        create(PlateInfoSchema, { plate: plateSecurity(plate), name: plate.name, plateType: plateTypes[plate.kind] }),
      ),
    }),
  );
  return create(S2CSchema, { ownerPlateList });
}
