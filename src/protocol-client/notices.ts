import { type S2C as Notice, NotifyType } from '../contract/generated/Notify_pb.js';
import { notLoggedIn } from './server-state.js';

/** Whether the gateway says by itself what a notice of this type says: whether quotes and trading are to be had, and what quotas are used. */
export function isOwnConcern(type: number): boolean {
  return type === NotifyType.NotifyType_ConnStatus || type === NotifyType.NotifyType_UsedQuota;
}

/** Whether a notice of this type casts doubt on what is subscribed to. */
export function castsDoubt(type: number): boolean {
  return type === NotifyType.NotifyType_QotRight;
}

/** The roleStates that a notice says are lost, each with why; it may be back by the time that the server is asked. */
export function lostBy({ connectStatus }: Notice): Partial<Record<'quotes' | 'trading', string>> {
  if (connectStatus === undefined) return {};
  const { qotLogined, trdLogined } = connectStatus;
  return { ...(qotLogined ? {} : { quotes: notLoggedIn('quotes') }), ...(trdLogined ? {} : { trading: notLoggedIn('trading') }) };
}
