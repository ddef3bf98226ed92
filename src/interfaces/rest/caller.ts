import type { Caller, Peer } from '../../gateway/index.js';
import type { Exchange } from '../common/exchange.js';
import { bearerOf } from '../common/http.js';

/** A class, so that a request costs one object and no function. */
export class RestCaller implements Caller {
  readonly iface = 'rest';
  readonly keyText: string | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(
    private readonly exchange: Exchange,
    readonly endpoint: string,
    readonly requestId: string,
    readonly peer: Peer,
  ) {
    const { headers } = exchange.request;
    const idempotencyKey = headers['idempotency-key'];
    this.keyText = bearerOf(headers);
    this.idempotencyKey = typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
  }

  isGone(): boolean {
    return this.exchange.response.destroyed;
  }

  /** The response closes when it is answered, too: nobody listens any more by then. */
  onGone(listener: () => void): () => void {
    const { response } = this.exchange;
    response.once('close', listener);
    return () => response.off('close', listener);
  }

  onReplayed(): void {
    this.exchange.response.setHeader('idempotent-replayed', 'true');
  }
}
