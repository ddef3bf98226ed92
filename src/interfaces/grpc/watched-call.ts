import type { ServerHttp2Session } from 'node:http2';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { type Arriving, type ArrivingRequest, noRoom } from '../common/arriving.js';
import type { Arrivals, LibraryCall } from './arrivals.js';
import type { Connection, Connections } from './connections.js';

type Method = Parameters<ServerInterceptor>[0];
type Listener = Parameters<LibraryCall['start']>[0];
type Status = Parameters<LibraryCall['sendStatus']>[0];

/**
 * A call that tells when its request is there and when its answer has left, and the listener that hears of it. What comes and goes
 * is passed straight on: the steps in which the library's own builder does that cost 4 % of an order.
 */
export class WatchedCall extends ServerInterceptingCall implements Listener {
  readonly #call: LibraryCall;
  readonly #method: Method;
  readonly #arrivals: Arrivals;
  readonly #connections: Connections;
  /** Who hears of the call; there once it has started, before anything comes. */
  #listener!: Listener;

  /** There as soon as anything of the call has come. */
  connection!: Connection;
  #answerBytes = 0;
  #isOver = false;
  readonly #coming: ArrivingRequest;

  constructor(call: LibraryCall, method: Method, arrivals: Arrivals, connections: Connections, arriving: Arriving) {
    super(call);
    this.#coming = arriving.begin();
    this.#call = call;
    this.#method = method;
    this.#arrivals = arrivals;
    this.#connections = connections;
  }

  override start(listener: Listener): void {
    this.#listener = listener;
    this.#arrivals.begin(this.#call);
    // The library has its own listener by now, and reads from here on.
    this.#call.stream.on('data', (part: Buffer) => this.#came(part.length));
    this.#call.start(this);
  }

  override sendMetadata(metadata: Metadata): void {
    this.#call.sendMetadata(metadata);
  }

  override sendMessage(message: Buffer, sent: () => void): void {
    // What streams send is bounded by who writes it.
    if (!this.#method.responseStream && !this.#isOver) {
      this.#answerBytes = message.length;
      this.connection.answered(this, message.length);
    }
    this.#call.sendMessage(message, sent);
  }

  override sendStatus(status: Status): void {
    this.#call.sendStatus(status);
  }

  onReceiveMetadata(metadata: Metadata): void {
    this.connection = this.#connections.of(this.#call.stream.session as ServerHttp2Session);
    this.connection.began();
    this.#listener.onReceiveMetadata(metadata);
  }

  onReceiveMessage(message: unknown): void {
    this.#coming.end();
    // Of a call that may go on asking, the first message is all that was awaited.
    if (this.#method.requestStream) this.#arrivals.done(this.#call);
    this.#listener.onReceiveMessage(message);
  }

  onReceiveHalfClose(): void {
    this.#arrivals.done(this.#call);
    this.#listener.onReceiveHalfClose();
  }

  /** The library's word for the end of a call, whoever ended it: the whole of an answer has left then. */
  onCancel(): void {
    this.#arrivals.done(this.#call);
    this.#coming.end();
    this.#isOver = true;
    this.connection.left(this, this.#answerBytes);
    this.connection.ended();
    this.#listener.onCancel();
  }

  #came(bytes: number): void {
    if (this.#isOver || this.#coming.came(bytes)) return;
    this.#isOver = true;
    this.#arrivals.refuse(this.#call, noRoom.kind.grpc, noRoom.message);
  }
}
