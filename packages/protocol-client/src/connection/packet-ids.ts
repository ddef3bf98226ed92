import { create, type Message } from '@bufbuild/protobuf';
import { withFields } from '@svc-gateway/contract/field-path';
import { PacketIDSchema } from '@svc-gateway/contract/generated/Common_pb';
import type { ResponseMessage } from '@svc-gateway/gateway/backend';
import type { ProtocolOperation, RequestOptions, Upstream } from './upstream.js';

/**
 * Gives each write the packet id that its server expects: the id of the connection on which it leaves, and a serial number that
 * rises by one. What a caller said is not passed on: it belongs to another connection.
 */
export class PacketIds implements Upstream {
  readonly #next: Upstream;
  #connId = 0n;
  #serial = 0;

  constructor(next: Upstream) {
    this.#next = next;
  }

  /** A connection was made, and numbers begin anew. */
  connected(connId: bigint): void {
    this.#connId = connId;
    this.#serial = 0;
  }

  request(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage> {
    return this.#next.request(asked, this.#stamp(asked, c2s), options);
  }

  requestBytes(protoId: number, body: Uint8Array, options: RequestOptions): Promise<Uint8Array> {
    return this.#next.requestBytes(protoId, body, options);
  }

  /** A copy: the caller's own message is kept by the gateway. */
  #stamp({ messages }: ProtocolOperation, c2s: Message): Message {
    if (!Object.hasOwn(messages.C2SSchema.field, 'packetID')) return c2s;
    this.#serial += 1;
    const packetID = create(PacketIDSchema, { connID: this.#connId, serialNo: this.#serial });
    return withFields(c2s, { packetID });
  }
}
