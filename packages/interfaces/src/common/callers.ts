import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { getOrInsert } from '@svc-gateway/contract/memo';
import { shown } from '@svc-gateway/contract/shown';
import type { Caller, Iface, Peer } from '@svc-gateway/gateway';
import { isLoopback, pathOf } from './http.js';

/** Ids of requests, unique among restarts without costing a random number each. */
export class RequestIds {
  readonly #prefix: string;
  #count = 0;

  /** `of` names what they are of: "grpc". */
  constructor(of: string) {
    this.#prefix = `${of}-${randomBytes(6).toString('base64url')}`;
  }

  next(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }
}

/** Makes the callers of an interface that speaks HTTP. */
export class HttpCallers {
  readonly #ids: RequestIds;
  readonly #peers = new WeakMap<Socket, Peer>();

  constructor(readonly iface: Iface) {
    this.#ids = new RequestIds(iface);
  }

  /** The caller of a request; `endpoint` is its name in the audit trail. */
  of({ socket }: IncomingMessage, endpoint: string, keyText: string | undefined, idempotencyKey?: string): Caller {
    return { iface: this.iface, endpoint, requestId: this.#ids.next(), peer: this.#peerOf(socket), keyText, idempotencyKey };
  }

  /** The caller of a request that reached no operation. */
  stray(request: IncomingMessage, keyText: string | undefined): Caller {
    return this.of(request, `${request.method} ${shown(pathOf(request.url))}`, keyText);
  }

  /** The same caller with another question: a request of its own. */
  asking(caller: Caller, endpoint: string): Caller {
    return { ...caller, endpoint, requestId: this.#ids.next() };
  }

  #peerOf(socket: Socket): Peer {
    return getOrInsert(this.#peers, socket, () => peerAt(socket.remoteAddress));
  }
}

/** The peer at a socket's remote address; undefined where the socket is closed already. */
export function peerAt(address: string | undefined): Peer {
  return { address: address ?? '', loopback: isLoopback(address) };
}
