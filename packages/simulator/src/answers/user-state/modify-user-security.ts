import { create } from '@bufbuild/protobuf';
import { type C2S, ModifyUserSecurityOp, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_ModifyUserSecurity_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateAllTerms } from '../../view/locate.js';
import { systemGroups } from '../../view/system-groups.js';

const SECURITIES_MAX = 400;
const NAME_CHARACTERS_MAX = 32;

/** Qot_ModifyUserSecurity: adds to a custom group, takes out of it, or stops watching. */
export const modifyUserSecurity: Answer<'listings' | 'userState', C2S, S2C> = async (facts, { groupName, op, securityList }) => {
  const { watchlists } = facts.userState;
  if (systemGroups.has(groupName))
    return new Refusal(`${groupName} is a group of the system, which cannot be changed; name a custom group`);
  if (groupName.trim() === '' || [...groupName].length > NAME_CHARACTERS_MAX) {
    return new Refusal(`group_name: expected 1 to ${NAME_CHARACTERS_MAX} characters, found ${quoted(groupName)}`, 'broker.value');
  }
  const listings = locateAllTerms(facts, securityList, SECURITIES_MAX);
  if (listings instanceof Refusal) return listings;
  const symbols = listings.map(({ instrument }) => instrument.symbol);
  const changed = change();
  if (changed instanceof Refusal) return changed;
  await changed;
  return create(S2CSchema);

  function change(): Promise<void> | Refusal {
    switch (op) {
      case ModifyUserSecurityOp.ModifyUserSecurityOp_Add:
        return watchlists.add(groupName, symbols);
      case ModifyUserSecurityOp.ModifyUserSecurityOp_Del:
        return watchlists.remove(groupName, symbols);
      case ModifyUserSecurityOp.ModifyUserSecurityOp_MoveOut:
        return watchlists.moveOut(groupName, symbols);
      default:
        return new Refusal(`unknown op ${op}; accepted: 1 (add), 2 (delete), 3 (move out)`, 'broker.value');
    }
  }
};
