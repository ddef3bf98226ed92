import type { Message, MessageShape } from '@bufbuild/protobuf';
import type { KeyRecord } from '@svc-gateway/access';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import { readMessageRequest } from '@svc-gateway/contract/message-request';
import { metadata, subscription, system } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Answer, type Caller, type Peer, payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import { answerRegisterPush, type Frame, type Permits, type PushFormat, type PushSink } from '@svc-gateway/gateway/push';
import { type BodyFormat, encodeBody } from '@svc-gateway/wire';
import { answerRehabList, REHAB_LIST_ID, RehabListSchema } from '../common/rehab-list.js';
import { bodyParser, keepAliveBody, readC2S, rejectionBody, responseBody } from './bodies.js';
import type { CoreRequest } from './core-request.js';
import type { CoreServices } from './services.js';
import { checkSubscribed } from './strict-rule.js';

/** A connection whose handshake has succeeded, as far as the session needs to know it. */
export interface CoreLink {
  readonly iface: 'core-ws' | 'core-tcp';
  readonly peer: Peer;
  /** The key that it was opened with; undefined in legacy mode. */
  readonly key: KeyRecord | undefined;
  readonly owner: string;
  readonly connectionId: bigint;
  readonly permits: Permits;
  readonly wants?: Permits;
  readonly format: PushFormat;
  readonly sink: PushSink;
  /** The frame of an answer. */
  readonly answerFrame: (request: CoreRequest, body: Uint8Array) => Frame;
  /** Fewer requests are under way than may be: reading may go on. */
  readonly onFree: () => void;
}

const protocol = { initConnect: 1001, keepAlive: 1004, regQotPush: 3002 } as const;

/** Published clients take a notice that follows the handshake at once for the answer to what they ask first. */
export const GREET_AFTER_MS = 1_000;
/** Maximum requests in flight per connection; at the maximum its socket is not read. */
const UNDER_WAY_MAX = 64;

/**
 * A core connection after its handshake, on either wire: requests go to the pipeline; answers and pushes go back in order. Its
 * subscriptions are its own and end with it.
 */
export class CoreSession {
  readonly #services: CoreServices;
  readonly #link: CoreLink;
  readonly #connection;
  #underWay = 0;
  /** Long polls among the requests in flight: they do not count against the limit, so that others are still read. */
  #waits = 0;
  readonly #waitingForIdle: (() => void)[] = [];
  /** Listeners for the peer's departure. */
  readonly #waiting = new Set<() => void>();
  #gone = false;
  /** Requests whose answers are to come before the first pushes that they cause. */
  #holding = 0;

  constructor(services: CoreServices, link: CoreLink) {
    this.#services = services;
    this.#link = link;
    const { iface, owner, key, permits, wants, format, sink } = link;
    this.#connection = services.gateway.push.connect({
      iface,
      owner,
      receives: 'own',
      greetAfterMs: GREET_AFTER_MS,
      permits,
      format,
      sink,
      keyId: key?.id,
      wants,
    });
  }

  /** True at the limit of requests in flight. */
  get busy(): boolean {
    return this.#underWay - this.#waits >= UNDER_WAY_MAX;
  }

  /** Resolves when no request is under way. */
  async whenIdle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#waitingForIdle.push(resolve));
  }

  /** Answers one request, sooner or later; requests do not wait for each other. */
  request(request: CoreRequest): void {
    const holds = this.#startsPushes(request.protoId);
    if (holds) this.#hold();
    const body = this.#answer(request);
    if (body instanceof Promise) {
      const waits = this.#services.ids.operationsOf(request.protoId).some((operation) => operation.waits !== null) ? 1 : 0;
      this.#underWay += 1;
      this.#waits += waits;
      void body.then((settled) => {
        this.#underWay -= 1;
        this.#waits -= waits;
        this.#send(request, settled, holds);
        this.#link.onFree();
        if (this.#underWay === 0) for (const resolve of this.#waitingForIdle.splice(0)) resolve();
      });
    } else {
      this.#send(request, body, holds);
    }
  }

  /** The socket's buffer has drained. */
  drained(): void {
    this.#connection.drained();
  }

  /** The peer is gone. */
  disconnected(): void {
    this.#gone = true;
    for (const listener of this.#waiting) listener();
    this.#waiting.clear();
    this.#connection.disconnected();
  }

  #send(request: CoreRequest, body: Uint8Array, held: boolean): void {
    this.#connection.send(this.#link.answerFrame(request, body));
    if (held) this.#release();
  }

  #startsPushes(protoId: number): boolean {
    if (protoId === protocol.keepAlive) return false;
    if (protoId === protocol.regQotPush) return true;
    return this.#services.ids.operationsOf(protoId).some(({ effect }) => effect === 'subscription');
  }

  /** A client learns that it is subscribed before the first push comes. */
  #hold(): void {
    this.#holding += 1;
    this.#connection.hold();
  }

  #release(): void {
    this.#holding -= 1;
    if (this.#holding === 0) this.#connection.release();
  }

  /** The body of the answer. Never rejects: what fails is answered with what the caller may know of it. */
  #answer(request: CoreRequest): Uint8Array | Promise<Uint8Array> {
    switch (request.protoId) {
      case protocol.keepAlive:
        return keepAliveBody(Math.floor(this.#services.clock.now() / 1000), request.format);
      case protocol.initConnect:
        return rejectionBody(new Rejection('request.invalid', 'the connection is already initialised'), request.format);
      case protocol.regQotPush:
        return this.#registerPush(request);
      default:
        return this.#call(request);
    }
  }

  #call(request: CoreRequest): Uint8Array | Promise<Uint8Array> {
    const { gateway, ids } = this.#services;
    const { protoId, format } = request;
    if (protoId === REHAB_LIST_ID) return this.#rehabList(request);
    const read = readMessageRequest(ids, protoId, bodyParser(request.body, format));
    if (read === undefined) return this.#callUndeclared(request);
    const { operation } = read;
    const caller: Writable<Caller> = this.#caller(operation.name);
    const decode = () => {
      const c2s = read.decode();
      if (c2s instanceof Rejection) return c2s;
      // Known only now, and needed only by writes, which come after.
      caller.idempotencyKey = this.#packetKey(c2s);
      return checkSubscribed(protoId, c2s, this.#holds) ?? c2s;
    };
    const encode = (answer: Answer) => {
      if (answer instanceof Rejection) return rejectionBody(answer, format);
      return responseBody(operation, operation === system.getGlobalState ? this.#ofThisConnection(answer) : answer, format);
    };
    try {
      const answer = gateway.call(operation, caller, decode);
      const body = answer instanceof Promise ? answer.then(encode) : encode(answer);
      return body instanceof Promise ? body.catch((thrown) => this.#defect(caller, format, thrown)) : body;
    } catch (thrown) {
      return this.#defect(caller, format, thrown);
    }
  }

  /** The state names the connection that asks: known here alone, whatever an upstream says of its own. */
  #ofThisConnection(answer: ResponseMessage): ResponseMessage {
    const s2c = payloadOf(system.getGlobalState, answer);
    return s2c === undefined ? answer : ({ ...answer, s2c: { ...s2c, connID: this.#link.connectionId } } as ResponseMessage);
  }

  async #rehabList({ format, body }: CoreRequest): Promise<Uint8Array> {
    const caller = this.#caller(metadata.getRehab.name);
    try {
      const answer = await answerRehabList(this.#services.gateway, caller, bodyParser(body, format));
      return answer instanceof Rejection ? rejectionBody(answer, format) : encodeBody(RehabListSchema, answer, format);
    } catch (thrown) {
      return this.#defect(caller, format, thrown);
    }
  }

  /** Forwards the bytes of an undeclared id, for authorised callers. */
  async #callUndeclared({ protoId, format, body }: CoreRequest): Promise<Uint8Array> {
    const { gateway } = this.#services;
    const caller = this.#caller(`protocol id ${protoId}`);
    // A body in JSON would have to be understood.
    const answer = format === 'protobuf' ? await gateway.callUndeclared(protoId, caller, body) : undefined;
    if (answer instanceof Rejection) return rejectionBody(answer, format);
    if (answer !== undefined) return answer;
    const rejection = new Rejection('route.not_found', `protocol id ${protoId} is not supported`);
    gateway.admissions.recordRefusal(caller, rejection);
    return rejectionBody(rejection, format);
  }

  /** Qot_RegQotPush changes only this connection; the right to subscribe suffices. */
  async #registerPush({ format, body }: CoreRequest): Promise<Uint8Array> {
    const { gateway } = this.#services;
    const caller = this.#caller('register_push');
    const admitted = gateway.admissions.admit(subscription.subscribe, caller);
    if (admitted instanceof Rejection) return rejectionBody(admitted, format);
    const c2s = readC2S(QotRegQotPush, body, format);
    if (c2s instanceof Rejection) return rejectionBody(c2s, format);
    try {
      const answer = await answerRegisterPush(gateway.push, this.#connection.ownOwner, c2s);
      if (answer instanceof Rejection) return rejectionBody(answer, format);
      return encodeBody(QotRegQotPush.ResponseSchema, answer as MessageShape<typeof QotRegQotPush.ResponseSchema>, format);
    } catch (thrown) {
      return this.#defect(caller, format, thrown);
    }
  }

  #defect(caller: Caller, format: BodyFormat, thrown: unknown): Uint8Array {
    return rejectionBody(this.#services.gateway.defect(caller, thrown), format);
  }

  readonly #holds = (symbol: string, subType: number): boolean =>
    this.#services.gateway.push.subscriptions.holds(this.#connection.ownOwner, symbol, subType);

  readonly #isGone = () => this.#gone;

  readonly #onGone = (listener: () => void) => {
    this.#waiting.add(listener);
    return () => this.#waiting.delete(listener);
  };

  #caller(endpoint: string): Caller {
    const { iface, peer, key } = this.#link;
    return {
      isGone: this.#isGone,
      onGone: this.#onGone,
      iface,
      endpoint,
      requestId: this.#services.nextRequestId(),
      peer,
      keyText: undefined,
      connectionOwner: this.#connection.ownOwner,
      key,
    };
  }

  /** A write is known by its packet id; a client that names no connection means this one. */
  #packetKey(c2s: Message): string | undefined {
    const { packetID } = c2s as Message & { packetID?: { readonly connID: bigint; readonly serialNo: number } };
    if (packetID === undefined) return undefined;
    return `packet-${packetID.connID || this.#link.connectionId}-${packetID.serialNo}`;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
