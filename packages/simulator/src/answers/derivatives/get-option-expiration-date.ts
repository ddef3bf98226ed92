import { create } from '@bufbuild/protobuf';
import { type C2S, OptionExpirationDateSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetOptionExpirationDate_pb';
import { parseLocal, requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { cycleOf } from '../../view/option-terms.js';
import { locateOwner, seriesOf } from './owner.js';

/** Qot_GetOptionExpirationDate: the days on which listed options on a security expire. */
export const getOptionExpirationDate: Answer<'world' | 'listings', C2S, S2C> = (facts, request) => {
  const owner = locateOwner(facts, request.owner);
  if (owner instanceof Refusal) return owner;
  const { market, instrument } = owner;
  const today = requireDay(facts.world.today(instrument));
  // Two roots may expire on one day: what says more about it comes first.
  const days = new Map([...seriesOf(facts, owner, request.indexOptionType)].reverse().map((series) => [series.expiry, series] as const));
  const payload = create(S2CSchema);
  payload.dateList = [...days.values()].reverse().map(({ expiry, of }) =>
    create(OptionExpirationDateSchema, {
      strikeTime: expiry,
      strikeTimestamp: (parseLocal(expiry, market.timeZone) ?? 0) / 1000,
      optionExpiryDateDistance: requireDay(expiry) - today,
      cycle: cycleOf(of, expiry),
    }),
  );
  return payload;
};
