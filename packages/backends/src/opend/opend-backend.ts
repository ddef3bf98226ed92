import type { KeyObject } from 'node:crypto';
import type { Clock } from '@svc-gateway/contract/clock';
import { type ClientLogger, type Dial, dialTcp, type Endpoint, ProtocolClient, publishedRules } from '@svc-gateway/protocol-client';

export interface OpendBackendOptions {
  readonly endpoint: Endpoint;
  /** The private key that the upstream has too. */
  readonly rsaKey?: KeyObject;
  readonly clock: Clock;
  readonly logger: ClientLogger;
  /** Shown to the upstream's operator. */
  readonly clientId: string;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly dial?: Dial;
}

/** An upstream daemon that speaks the public protocol and has logged in by itself, as a backend: one connection for both roles. */
export function opendBackend({
  endpoint,
  clientId,
  random = Math.random,
  dial = dialTcp,
  ...options
}: OpendBackendOptions): ProtocolClient {
  return new ProtocolClient({
    ...options,
    name: 'opend',
    server: 'the upstream',
    roles: ['quotes', 'trading'],
    random,
    dial,
    endpoint: () => endpoint,
    clientId: () => clientId,
    rules: publishedRules,
    missingLogin: 'wait',
  });
}
