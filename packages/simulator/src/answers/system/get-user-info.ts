import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/GetUserInfo_pb';
import type { Answer, Facts } from '../../view/facts.js';
import { QotRight, SUBSCRIPTION_QUOTA } from '../../view/server.js';

/** GetUserInfo.UserInfoField: which parts a request wants. */
const Part = { basic: 1, api: 2, rights: 4, disclaimer: 8, update: 16 } as const;

/** The simulated user's number. */
const USER_ID = 1001n;

/** GetUserInfo: the parts that `flag` names, all without it. */
export const getUserInfo: Answer<'historyQuota', C2S, S2C> = (facts, { flag }) => {
  const wanted = (part: number) => flag === 0 || (flag & part) !== 0;
  const info = create(S2CSchema);
  if (wanted(Part.basic)) Object.assign(info, { nickName: 'Simulated User', avatarUrl: '', userID: USER_ID, isAppNNOrMM: false });
  if (wanted(Part.api)) Object.assign(info, quotas(facts));
  if (wanted(Part.rights)) Object.assign(info, rights);
  if (wanted(Part.disclaimer)) info.isNeedAgreeDisclaimer = false;
  if (wanted(Part.update)) info.updateType = 0;
  return info;
};

function quotas({ historyQuota }: Facts<'historyQuota'>): Partial<S2C> {
  return { subQuota: SUBSCRIPTION_QUOTA, historyKLQuota: historyQuota.max };
}

const served = QotRight.level2;
const absent = QotRight.none;

/** Everything that the simulation has, it shows; it has no options, no crypto and no event contracts. */
const rights: Partial<S2C> = {
  // Its books come with their orders.
  hkQotRight: QotRight.sf,
  usQotRight: served,
  cnQotRight: served,
  shQotRight: served,
  szQotRight: served,
  hkOptionQotRight: absent,
  hasUSOptionQotRight: false,
  usOptionQotRight: absent,
  hkFutureQotRight: served,
  usFutureQotRight: served,
  usIndexQotRight: served,
  usOtcQotRight: absent,
  usCMEFutureQotRight: served,
  usCBOTFutureQotRight: served,
  usNYMEXFutureQotRight: served,
  usCOMEXFutureQotRight: served,
  usCBOEFutureQotRight: served,
  sgFutureQotRight: served,
  jpFutureQotRight: served,
  sgStockQotRight: served,
  myStockQotRight: served,
  jpStockQotRight: served,
  ccQotRight: absent,
  ecQotRight: absent,
};
