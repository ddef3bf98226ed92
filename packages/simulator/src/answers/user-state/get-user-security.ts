import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetUserSecurity_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { staticInfo } from '../../view/static-info.js';
import { systemGroups } from '../../view/system-groups.js';

/** Qot_GetUserSecurity: the securities of a group of the system, or of one of the user's. */
export const getUserSecurity: Answer<'world' | 'listings' | 'userState', C2S, S2C> = (facts, { groupName }) => {
  const { watchlists } = facts.userState;
  const belongs = systemGroups.get(groupName);
  const symbols = belongs === undefined ? watchlists.group(groupName) : watchlists.all();
  if (symbols === undefined) {
    const names = [...systemGroups.keys(), ...watchlists.names];
    return new Refusal(`unknown group ${quoted(groupName)}; there are ${names.join(', ')}`);
  }
  const listings = symbols.flatMap((symbol) => facts.listings.named(symbol) ?? []);
  const payload = create(S2CSchema);
  payload.staticInfoList = listings.filter(belongs ?? (() => true)).map((listing) => staticInfo(facts, listing));
  return facts.userState.whenDurable(payload);
};
