import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/biz_group_pb';
import { addressed } from '../../brokerage/header.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { bizGroups } from './biz-groups.js';

/** svc.biz_group: the groups of the cash log, the same for every account. */
export const getBizGroup: Answer<'brokerage', C2S, S2C> = ({ brokerage }, { header }) => {
  const to = addressed(brokerage, header);
  if (to instanceof Refusal) return to;
  const groupList = bizGroups.map(({ id, name, subGroups }) => ({
    bizGroupId: id,
    name,
    subGroupList: subGroups.map((one) => ({ bizSubGroupId: one.id, name: one.name })),
  }));
  return create(S2CSchema, { header: to.header, groupList });
};
