import { NotifyType } from '../../contract/generated/Notify_pb.js';

/** Whether the gateway says by itself what a notice of this type says: whether quotes and trading are to be had, and what quotas are used. */
export function isOwnConcern(type: number): boolean {
  return type === NotifyType.NotifyType_ConnStatus || type === NotifyType.NotifyType_UsedQuota;
}

/** Whether a notice of this type casts doubt on what is subscribed to. */
export function castsDoubt(type: number): boolean {
  return type === NotifyType.NotifyType_QotRight;
}
