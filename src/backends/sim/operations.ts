import type { account, admin, metadata, quote, subscription, system, trade } from '../../contract/operations/index.js';

/**
 * The operations that the gateway answers by itself, whatever stands behind it: they are about its own connections,
 * subscriptions and process. By the export names of the declarations.
 */
type GatewayOperation =
  | keyof typeof admin
  | keyof typeof subscription
  | 'ping'
  | 'getPushSubscriberInfo'
  | 'getDelayStatistics'
  | 'getUsedQuota'
  | 'subAccPush'
  | 'unsubAccPush';

/** The declared operations that a backend answers. */
export type BackendOperations = Omit<typeof system & typeof quote & typeof metadata & typeof account & typeof trade, GatewayOperation>;
