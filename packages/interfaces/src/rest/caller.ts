import type { Caller, Peer } from '@svc-gateway/gateway';
import type { Exchange } from '../common/exchange.js';

/** The caller of a REST request, who is gone when its connection is. A class, so that a request costs no function. */
export class RestCaller implements Caller {
  readonly iface = 'rest';
  readonly endpoint: string;
  readonly requestId: string;
  readonly peer: Peer;
  readonly keyText: string | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(
    private readonly exchange: Exchange,
    { endpoint, requestId, peer, keyText, idempotencyKey }: Caller,
  ) {
    this.endpoint = endpoint;
    this.requestId = requestId;
    this.peer = peer;
    this.keyText = keyText;
    this.idempotencyKey = idempotencyKey;
  }

  isGone(): boolean {
    return this.exchange.response.destroyed;
  }

  /** The response also closes once answered; its listeners are gone by then. */
  onGone(listener: () => void): () => void {
    const { response } = this.exchange;
    response.once('close', listener);
    return () => response.off('close', listener);
  }

  onReplayed(): void {
    this.exchange.response.setHeader('idempotent-replayed', 'true');
  }

  onHeld(ageMs: number): void {
    this.exchange.response.setHeader('x-svc-stale-ms', ageMs);
  }
}
