/** Limits on what one key may hold or have in flight. Operators can set each. */
export interface GatewayBounds {
  /** Writes under idempotency keys that are remembered; ten times as many over all keys. */
  readonly idempotencyKeys: number;
  /** Open connections: of `/ws`, gRPC streams, core WebSocket and core TCP together. */
  readonly connections: number;
  /** Refused requests a second, over ten seconds. */
  readonly refusalsPerSecond: number;
  /** Requests that wait for the backend at a time; four times as many over all keys. */
  readonly calls: number;
  /** Calls that wait for a condition at a time; eight times as many over all keys. */
  readonly waits: number;
  /** Subscriptions (symbol and type) over all of its connections; half of the daemon's quota by default. */
  readonly subscriptions: number | undefined;
}

export const defaultBounds: GatewayBounds = {
  idempotencyKeys: 100_000,
  connections: 1_000,
  refusalsPerSecond: 1_000,
  calls: 1_000,
  waits: 32,
  subscriptions: undefined,
};
