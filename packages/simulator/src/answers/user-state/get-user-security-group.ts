import { create } from '@bufbuild/protobuf';
import { type C2S, GroupDataSchema, GroupType, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetUserSecurityGroup_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { systemGroups } from '../../view/system-groups.js';

const accepted: readonly number[] = [GroupType.GroupType_Custom, GroupType.GroupType_System, GroupType.GroupType_All];

/** Qot_GetUserSecurityGroup: the system's groups, then the user's in the order in which they were made. */
export const getUserSecurityGroup: Answer<'userState', C2S, S2C> = ({ userState }, { groupType }) => {
  if (!accepted.includes(groupType))
    return new Refusal(`unknown group_type ${groupType}; accepted: ${accepted.join(', ')}`, 'broker.value');
  const groups = (type: GroupType, names: Iterable<string>) =>
    groupType === type || groupType === GroupType.GroupType_All
      ? [...names].map((groupName) => create(GroupDataSchema, { groupName, groupType: type }))
      : [];
  const payload = create(S2CSchema);
  payload.groupList = [
    ...groups(GroupType.GroupType_System, systemGroups.keys()),
    ...groups(GroupType.GroupType_Custom, userState.watchlists.names),
  ];
  return userState.whenDurable(payload);
};
