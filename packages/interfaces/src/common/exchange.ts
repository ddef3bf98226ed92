import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller } from '@svc-gateway/gateway';

/** One exchange, as `node:http` has it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** An interface of its own on the REST listener, below one path and behind the listener's checks of origin, host and body size. */
export interface Mount {
  readonly path: string;
  readonly methods: readonly string[];
  /** Serves one request, whose body has been read; `refuse` records a refusal and answers with the uniform error body. */
  readonly serve: (exchange: Exchange, body: Buffer | undefined, refuse: (rejection: Rejection, caller: Caller) => void) => void;
}
