import { create } from '@bufbuild/protobuf';
import { listAccepted, plateSetType } from '@svc-gateway/contract/enums';
import { PlateInfoSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetPlateSet_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { plateSecurity, platesWithMembers, plateTypes } from '../../view/plates.js';

/** Qot_GetPlateSet: the plates of a market that have members today, of one kind or of all. */
export const listPlates: Answer<'companies' | 'world' | 'listings', C2S, S2C> = (facts, { market: number, plateSetType: wanted }) => {
  const market = quoteMarketNumbered(number);
  if (market === undefined) return new Refusal(`invalid market ${number}`, 'broker.value');
  if (!plateSetType.members.some((member) => member.public === wanted)) {
    return new Refusal(`unknown plate_set_type ${wanted}; accepted: ${listAccepted(plateSetType, 'rest')}`, 'broker.value');
  }
  const payload = create(S2CSchema);
  const plates = platesWithMembers(facts, market.name);
  payload.plateInfoList = plates
    .filter(({ kind }) => wanted === 0 || plateTypes[kind] === wanted)
    .map((plate) => create(PlateInfoSchema, { plate: plateSecurity(plate), name: plate.name, plateType: plateTypes[plate.kind] }));
  return payload;
};
