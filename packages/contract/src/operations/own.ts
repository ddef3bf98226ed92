import type * as admin from './admin.js';
import type * as bracket from './bracket.js';
import type * as subscription from './subscription.js';

/**
 * The operations that the gateway answers by itself, whatever stands behind it: they are about its own connections, subscriptions
 * and process. By the export names of the declarations. A backend answers all others.
 */
export type OwnOperation =
  | keyof typeof admin
  | keyof typeof subscription
  | 'ping'
  | 'whoami'
  | 'getPushSubscriberInfo'
  | 'getDelayStatistics'
  | 'getUsedQuota'
  | 'subAccPush'
  | 'unsubAccPush'
  | 'getRefusals'
  | keyof typeof bracket;
