import { GroupType } from '@svc-gateway/contract/generated/Qot_GetUserSecurityGroup_pb';
import { ModifyUserSecurityOp } from '@svc-gateway/contract/generated/Qot_ModifyUserSecurity_pb';
import type { userState as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { Refusal } from '../../refusal.js';
import { locateAllTerms, locateTerms } from '../../view/locate.js';
import { staticInfo } from '../../view/static-info.js';
import { systemGroups } from '../../view/system-groups.js';
import type { AnswerTo } from '../table.js';

/** Qot_GetUserSecurity: the securities of a group of the system, or of one of the user's. */
export const getUserSecurity: AnswerTo<typeof declared.getUserSecurity> = (facts, { groupName }) => {
  const { watchlists } = facts.userState;
  const belongs = systemGroups.get(groupName);
  const symbols = belongs === undefined ? watchlists.group(groupName) : watchlists.all();
  if (symbols === undefined) {
    const names = [...systemGroups.keys(), ...watchlists.names];
    return new Refusal(`unknown group ${quoted(groupName)}; there are ${names.join(', ')}`);
  }
  const listings = symbols.flatMap((symbol) => facts.listings.named(symbol) ?? []);
  const staticInfoList = listings.filter(belongs ?? (() => true)).map((listing) => staticInfo(facts, listing));
  return facts.userState.whenDurable({ staticInfoList });
};

const accepted: readonly number[] = [GroupType.GroupType_Custom, GroupType.GroupType_System, GroupType.GroupType_All];

/** Qot_GetUserSecurityGroup: the system's groups, then the user's in the order in which they were made. */
export const getUserSecurityGroup: AnswerTo<typeof declared.getUserSecurityGroup> = ({ userState }, { groupType }) => {
  if (!accepted.includes(groupType))
    return new Refusal(`unknown group_type ${groupType}; accepted: ${accepted.join(', ')}`, 'broker.value');
  const groups = (type: GroupType, names: Iterable<string>) =>
    groupType === type || groupType === GroupType.GroupType_All ? [...names].map((groupName) => ({ groupName, groupType: type })) : [];
  const groupList = [
    ...groups(GroupType.GroupType_System, systemGroups.keys()),
    ...groups(GroupType.GroupType_Custom, userState.watchlists.names),
  ];
  return userState.whenDurable({ groupList });
};

const SECURITIES_MAX = 400;
const NAME_CHARACTERS_MAX = 32;

/** Qot_ModifyUserSecurity: adds to a custom group, takes out of it, or stops watching. */
export const modifyUserSecurity: AnswerTo<typeof declared.modifyUserSecurity> = async (facts, { groupName, op, securityList }) => {
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
  return {};

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

/** svc.GetStockNote: of the securities named, or of all, the newest first. */
export const getStockNote: AnswerTo<typeof declared.getStockNote> = (facts, { securityList }) => {
  const wanted = securityList.length === 0 ? undefined : locateAllTerms(facts, securityList, SECURITIES_MAX);
  if (wanted instanceof Refusal) return wanted;
  const symbols = wanted === undefined ? undefined : new Set(wanted.map(({ instrument }) => instrument.symbol));
  const noteList = facts.userState.notes.all().flatMap(({ symbol, text, updatedAt }) => {
    const listing = symbols?.has(symbol) === false ? undefined : facts.listings.named(symbol);
    if (listing === undefined) return [];
    const { security, instrument } = listing;
    return [{ security, name: instrument.name, note: text, updateTime: BigInt(updatedAt) }];
  });
  return facts.userState.whenDurable({ noteList });
};

/** svc.SetStockNote: in place of the note before; an empty text removes it. */
export const setStockNote: AnswerTo<typeof declared.setStockNote> = async (facts, { security, note }) => {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  const updatedAt = facts.clock.now();
  const written = facts.userState.notes.put({ symbol: listing.instrument.symbol, text: note, updatedAt });
  if (written instanceof Refusal) return written;
  await written;
  return { updateTime: note === '' ? 0n : BigInt(updatedAt) };
};
