import type { Message } from '@bufbuild/protobuf';
import type { C2S as GetOrderBook } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import { readMessageRequest } from '@svc-gateway/contract/message-request';
import { quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { PushEvent, ResponseMessage } from '@svc-gateway/gateway/backend';
import { orderDetailKey, pushMessagesOf } from '@svc-gateway/gateway/push';
import { rejectUnstored, servesDuringOutage, withUnkept } from '@svc-gateway/gateway/storage-outage';
import {
  bodyParser,
  type CoreRequest,
  GREET_AFTER_MS,
  keepAliveBody,
  readC2S,
  rejectionBody,
  responseBody,
  type TcpLink,
  type TcpSession,
} from '@svc-gateway/interfaces/core';
import { StorageFailure } from '@svc-gateway/storage';
import { type BodyFormat, encodeBody, encodeFrame } from '@svc-gateway/wire';
import { emptyAnswer, failed, refusedBody } from './answers.js';
import type { Connected } from './connected.js';
import type { EndpointServices } from './endpoint-services.js';
import type { WireFault } from './faults/wire-fault.js';
import { type Answered, ownAnswers, registerPush } from './own-answers.js';
import { type Ask, type Empty, Refused } from './rule.js';

interface Reply {
  readonly body: Uint8Array | Promise<Uint8Array>;
  /** Runs when it has left. */
  readonly after?: (() => void) | undefined;
}

const protocol = { initConnect: 1001, keepAlive: 1004, regQotPush: 3002 } as const;

/** Maximum requests in flight per connection; at the maximum its socket is not read. */
const UNDER_WAY_MAX = 64;
/** Maximum bytes waiting for a client that does not read; beyond it the connection is cut. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024;

/** One connection to a point of the simulated brokerage, from the end of its handshake on. */
export class Client implements TcpSession, Connected {
  accounts: ReadonlySet<bigint> = new Set();
  #gone = false;
  #underWay = 0;
  #pushes = 0;
  readonly #waitingForIdle: (() => void)[] = [];
  #cancelGreeting: () => void = () => undefined;

  constructor(
    private readonly services: EndpointServices,
    private readonly link: TcpLink,
  ) {
    services.clients.add(this);
    if (link.recvNotify) this.#cancelGreeting = services.clock.after(GREET_AFTER_MS, () => this.#greet());
  }

  /** `connID`. */
  get id(): bigint {
    return this.link.connectionId;
  }

  get wantsNotices(): boolean {
    return this.link.recvNotify;
  }

  get gone(): boolean {
    return this.#gone;
  }

  get busy(): boolean {
    return this.#underWay >= UNDER_WAY_MAX;
  }

  async whenIdle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waitingForIdle.push(resolve));
  }

  request(request: CoreRequest): void {
    this.#underWay += 1;
    this.#serve(request)
      .catch((error: unknown) => {
        this.services.onDefect(error);
        this.cut();
      })
      .finally(() => {
        this.#underWay -= 1;
        if (this.#gone) return;
        this.link.onFree();
        if (this.#underWay === 0) for (const resolve of this.#waitingForIdle.splice(0)) resolve();
      });
  }

  drained(): void {}

  disconnected(): void {
    this.#gone = true;
    this.#cancelGreeting();
    const { clients, subscriptions, onDefect } = this.services;
    clients.delete(this);
    subscriptions.left(this).catch(onDefect);
    for (const resolve of this.#waitingForIdle.splice(0)) resolve();
  }

  #greet(): void {
    for (const notice of this.services.backend.notices()) this.push(notice);
  }

  push(event: PushEvent): void {
    const { clock, faults, name } = this.services;
    const fault = faults.take('push', name, event.protoId);
    switch (fault?.kind) {
      case 'push_lost':
        return;
      case 'push_late':
        clock.after(fault.ms, () => this.#pushNow(event));
        return;
      case 'push_twice':
        this.#pushNow(event);
    }
    this.#pushNow(event, fault);
  }

  end(): void {
    this.link.end();
  }

  cut(): void {
    this.link.socket.destroy();
  }

  #pushNow({ protoId, message }: PushEvent, fault?: WireFault): void {
    this.#pushes += 1;
    const body = pushBody(protoId, message, this.link.pushFormat);
    this.#write(protoId, this.link.pushFormat, this.#pushes, body, fault);
  }

  async #serve(request: CoreRequest): Promise<void> {
    const { clock, faults, name } = this.services;
    const { protoId, format, tag } = request;
    const fault = faults.take('answer', name, protoId);
    if (fault?.kind === 'lost_request') return;
    const { body, after } =
      fault?.kind === 'refuse' ? { body: refusedBody(new Refused(fault.text, fault.retType), format) } : await this.#answer(request);
    if (fault?.kind === 'delay') await new Promise<void>((resolve) => clock.after(fault.ms, resolve));
    if (fault?.kind !== 'no_answer') this.#write(protoId, format, Number(tag), await body, fault);
    after?.();
  }

  async #answer(request: CoreRequest): Promise<Reply> {
    const { protoId, format } = request;
    if (protoId === protocol.keepAlive) return { body: keepAliveBody(Math.floor(this.services.clock.now() / 1000), format) };
    if (protoId === protocol.initConnect) {
      return { body: rejectionBody(new Rejection('request.invalid', 'the connection is already initialised'), format) };
    }
    const ask = this.#read(request);
    if (ask instanceof Rejection) return { body: rejectionBody(ask, format) };
    if (ask instanceof Refused) return { body: refusedBody(ask, format) };
    const verdict = await this.#judge(ask);
    if (verdict instanceof Refused) return { body: refusedBody(verdict, format) };
    return this.#fulfil(ask, verdict, format);
  }

  async #fulfil(ask: Ask, verdict: Empty | undefined, format: BodyFormat): Promise<Reply> {
    const messages = ask.operation?.messages ?? QotRegQotPush;
    const { response, after } = verdict === undefined ? await this.#carryOut(ask) : { response: emptyAnswer(messages, ask.c2s) };
    const changed = this.services.rules.reduce((answer, rule) => rule.answered?.(ask, answer) ?? answer, response);
    const body =
      ask.operation === undefined ? encodeBody(messages.ResponseSchema, changed, format) : responseBody(ask.operation, changed, format);
    return { body, after };
  }

  /** Reads a request; unknown ones are refused in the server's own words. */
  #read({ protoId, format, body }: CoreRequest): Ask | Refused | Rejection {
    const { clock, ids, unknownId } = this.services;
    const now = clock.monotonic();
    if (protoId === protocol.regQotPush) {
      const c2s = readC2S(QotRegQotPush, body, format);
      return c2s instanceof Rejection ? c2s : { protoId, operation: undefined, c2s, client: this, now };
    }
    const read = readMessageRequest(ids, protoId, bodyParser(body, format));
    if (read === undefined) return new Refused(unknownId(protoId));
    const c2s = read.decode();
    return c2s instanceof Rejection ? c2s : { protoId, operation: read.operation, c2s, client: this, now };
  }

  async #judge(ask: Ask): Promise<Refused | Empty | undefined> {
    for (const rule of this.services.rules) {
      const judged = rule.judge?.(ask);
      // Most rules know at once, and requests that come together are then judged in their order.
      const verdict = judged instanceof Promise ? await judged : judged;
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  async #carryOut({ operation, c2s }: Ask): Promise<Answered> {
    const { backend, nextRequestId, subscriptions } = this.services;
    if (operation === undefined) return registerPush(this.services, this, c2s as QotRegQotPush.C2S);
    const own = ownAnswers[operation.name];
    if (own !== undefined) return own(this.services, this, c2s);
    const { journal } = backend;
    // The brokerage itself knows which orders it still takes.
    if (operation.effect === 'write' && journal?.failure !== undefined && !servesDuringOutage(operation, c2s))
      return { response: failed(operation.messages, rejectUnstored(journal.failure).message) };
    nameConnection(c2s, this.id);
    const orderDetail = operation === quote.getOrderBook && subscriptions.holds(this, orderDetailKey((c2s as GetOrderBook).security));
    const context = { requestId: nextRequestId(), deadline: Number.POSITIVE_INFINITY, signal: NEVER, orderDetail };
    try {
      const response = await backend.call(operation, c2s, context);
      return { response: withUnkept(operation, {}, journal?.failure, response) };
    } catch (error) {
      // An order may have traded before the disk refused it: its client has to look.
      if (!(error instanceof StorageFailure) || operation.effect === 'order') throw error;
      return { response: failed(operation.messages, error.message) };
    }
  }

  #write(protoId: number, format: BodyFormat, serial: number, body: Uint8Array, fault: WireFault | undefined): void {
    const { socket, cipher } = this.link;
    if (!socket.writable) return;
    const bytes = encodeFrame({ protoId, format, serial, body }, cipher);
    switch (fault?.kind) {
      case 'half_frame':
        socket.end(bytes.subarray(0, Math.ceil(bytes.length / 2)));
        return;
      case 'wrong_digest':
        spoilDigest(bytes);
        break;
      case 'cut':
        this.cut();
        return;
    }
    socket.write(bytes);
    if (socket.writableLength > UNREAD_BYTES_MAX) this.cut();
  }
}

const NEVER = new AbortController().signal;
const DIGEST_AT = 16;

function spoilDigest(frame: Buffer): void {
  frame.writeUInt8(frame.readUInt8(DIGEST_AT) ^ 0xff, DIGEST_AT);
}

/** A packet id that names no connection means this one. */
function nameConnection(c2s: Message, id: bigint): void {
  const { packetID } = c2s as Message & { packetID?: { connID: bigint } };
  if (packetID?.connID === 0n) packetID.connID = id;
}

const pushBodies = new WeakMap<ResponseMessage, Partial<Record<BodyFormat, Uint8Array>>>();

/** The body of a push, encoded once for all receivers. */
function pushBody(protoId: number, message: ResponseMessage, format: BodyFormat): Uint8Array {
  const written = pushBodies.get(message) ?? {};
  pushBodies.set(message, written);
  written[format] ??= encodeBody(pushMessagesOf(protoId).ResponseSchema, message, format);
  return written[format];
}
