import { Rejection } from '@svc-gateway/contract/rejection';
import type { BackendStatus, BrokerSnapshot, LifecycleSnapshot } from './backend.js';

/** "the platform is reconnecting (the connection was lost)". */
export function describeConnection(connection: LifecycleSnapshot | BrokerSnapshot): string {
  const { lifecycleState, lastLifecycleEvent } = connection;
  const which = 'brokerId' in connection ? `broker ${connection.brokerId} (${connection.name})` : 'the platform';
  return `${which} is ${lifecycleState}${lastLifecycleEvent === undefined ? '' : ` (${lastLifecycleEvent})`}`;
}

/** The refusal of what a connection is needed for that is away. */
export function notReady(awaited: LifecycleSnapshot | BrokerSnapshot): Rejection {
  return new Rejection(
    'backend.not_ready',
    `the backend is not ready: ${describeConnection(awaited)}; nothing was sent, try again shortly`,
    {
      retryAfterSeconds: 1,
    },
  );
}

/** The first connection that is not ready, the platform before brokers; undefined where all are. */
export function awaitedConnection({ platform, brokers }: BackendStatus): LifecycleSnapshot | BrokerSnapshot | undefined {
  return [platform, ...brokers].find(({ lifecycleState }) => lifecycleState !== 'ready');
}

/** The first connection that has no transport. */
export function severedConnection({ platform, brokers }: BackendStatus): LifecycleSnapshot | BrokerSnapshot | undefined {
  return [platform, ...brokers].find(({ lifecycleState }) => lifecycleState !== 'ready' && lifecycleState !== 'authenticating');
}
