import { create, type DescMessage, fromBinary, fromJson, toBinary } from '@bufbuild/protobuf';
import { ChannelCredentials, Client, Metadata } from '@grpc/grpc-js';
import * as PlaceBracketOrder from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { GatewayRequestSchema, GatewayResponseSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import * as TrdModifyOrder from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import * as TrdPlaceComboOrder from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { stateless } from '../../support/mcp-wire.js';
import type { SpawnedDaemon } from '../../support/spawned-daemon.js';
import { KeepAliveLine } from '../load.js';
import {
  bracketTool,
  comboPlacement,
  comboTool,
  protocolBracket,
  protocolChange,
  protocolCombo,
  protocolPlacement,
  restBracket,
  restChange,
  restPlacement,
  toolChange,
  toolPlacement,
} from './spellings.js';
import type { Placing, Write } from './writes.js';

export const interfaces = ['rest', 'mcp', 'grpc', 'core-tcp'] as const;
export type Interface = (typeof interfaces)[number];
export type KeyId = 'bot' | 'capped';

/** Outcome that a client is told. A connection that breaks tells nothing: the promise is rejected. */
export type Outcome =
  | { readonly kind: 'accepted'; readonly orderId: string; readonly orderIdEx: string; readonly bracketId?: string }
  /** Definitely not done. */
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  /** An answer which says that the fate is not known, or that the daemon failed. */
  | { readonly kind: 'failed'; readonly text: string };

export interface StormClient {
  /** Rejects when the connection breaks before the answer. The same write may be sent again, also over a later connection. */
  send(write: Write): Promise<Outcome>;
  close(): void;
}

/** The packet ids under which writes were first sent over core TCP, so that a repetition is one. */
export type Packets = Map<string, { connID: string; serialNo: number }>;

export async function openClient(daemon: SpawnedDaemon<KeyId>, iface: Interface, key: KeyId, packets: Packets): Promise<StormClient> {
  switch (iface) {
    case 'rest':
      return new RestClient(daemon, key);
    case 'mcp':
      return new ToolClient(daemon, key);
    case 'grpc':
      return new GrpcCalls(daemon, key);
    case 'core-tcp':
      return TcpCalls.open(daemon, packets);
  }
}

/** Codes of refusals after which the fate of a write is open. */
const openFates: ReadonlySet<string> = new Set(['storage.failed', 'backend.disconnected', 'backend.timeout', 'internal']);
/** The same over the public protocol, whose `errCode` is the HTTP status. */
const openErrCodes: ReadonlySet<number> = new Set([500, 504]);

function refusal(code: string, text: string): Outcome {
  return openFates.has(code) ? { kind: 'failed', text } : { kind: 'refused', code, text };
}

type ComboPlacing = Placing & { readonly terms: { readonly legs: readonly string[] } };
const isCombo = (write: Write): write is ComboPlacing => write.kind === 'place' && write.terms.legs !== undefined;

type BracketPlacing = Placing & { readonly terms: { readonly bracket: object } };
const isBracket = (write: Write): write is BracketPlacing => write.kind === 'place' && write.terms.bracket !== undefined;

abstract class LineClient implements StormClient {
  protected readonly line: KeepAliveLine;

  constructor(daemon: SpawnedDaemon<KeyId>, key: KeyId) {
    this.line = new KeepAliveLine(daemon, daemon.keys[key]);
  }

  abstract send(write: Write): Promise<Outcome>;

  close(): void {
    this.line.close();
  }
}

class RestClient extends LineClient {
  async send(write: Write): Promise<Outcome> {
    const [path, body] = isCombo(write)
      ? ['/api/combo-order', { c2s: comboPlacement(write) }]
      : isBracket(write)
        ? ['/api/bracket-order', restBracket(write)]
        : write.kind === 'place'
          ? ['/api/order', restPlacement(write)]
          : restChange(write);
    const { status, text } = await this.line.post(path, body, write.keyed ? { 'idempotency-key': write.name } : {});
    const { ret_type: retType, s2c, code } = JSON.parse(text);
    if (status !== 200) return refusal(code, text);
    if (retType !== 0) return { kind: 'refused', code: 'brokerage', text };
    return acceptedAs(s2c);
  }
}

class ToolClient extends LineClient {
  async send(write: Write): Promise<Outcome> {
    const [name, args] = isCombo(write)
      ? ['svc_place_combo_order', comboTool(write)]
      : isBracket(write)
        ? ['svc_place_bracket_order', bracketTool(write)]
        : write.kind === 'place'
          ? ['svc_place_order', toolPlacement(write)]
          : toolChange(write);
    const [body, headers] = stateless('tools/call', { name, arguments: args });
    const { text } = await this.line.post('/mcp', body, {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    });
    const message = JSON.parse([...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? text);
    const { result } = message;
    if (result === undefined) return { kind: 'failed', text };
    const { structuredContent: answer } = result;
    if (result.isError !== true) return acceptedAs(answer);
    const { code } = JSON.parse(result.content[0].text);
    return refusal(code, text);
  }
}

/** By the names of REST and the tools. */
function acceptedAs({ order_id = '0', order_id_ex, bracket_id }: { order_id?: string; order_id_ex: string; bracket_id?: string }): Outcome {
  return { kind: 'accepted', orderId: order_id, orderIdEx: order_id_ex, ...(bracket_id === undefined ? {} : { bracketId: bracket_id }) };
}

const REQUEST_PATH = '/svc.v1.Gateway/Request';
const PLACE_ORDER = 2202;
const MODIFY_ORDER = 2205;
const PLACE_COMBO_ORDER = 2227;
const PLACE_BRACKET_ORDER = 20060;

/** The message of a write over the public protocol, without its packet id. */
function protocolWrite(write: Write) {
  if (isCombo(write))
    return { protoId: PLACE_COMBO_ORDER, name: 'Trd_PlaceComboOrder', messages: TrdPlaceComboOrder, c2s: protocolCombo(write) } as const;
  return write.kind === 'place'
    ? ({ protoId: PLACE_ORDER, name: 'Trd_PlaceOrder', messages: TrdPlaceOrder, c2s: protocolPlacement(write) } as const)
    : ({ protoId: MODIFY_ORDER, name: 'Trd_ModifyOrder', messages: TrdModifyOrder, c2s: protocolChange(write) } as const);
}

/** Writes for which the published client of core TCP has no message go over gRPC alone. */
function ownWrite(write: Write) {
  if (!isBracket(write)) return protocolWrite(write);
  return { protoId: PLACE_BRACKET_ORDER, messages: PlaceBracketOrder, c2s: protocolBracket(write) } as const;
}

class GrpcCalls implements StormClient {
  readonly #client: Client;
  readonly #key: string;

  constructor(daemon: SpawnedDaemon<KeyId>, key: KeyId) {
    this.#key = daemon.keys[key];
    this.#client = new Client(new URL(daemon.grpcUrl).host, ChannelCredentials.createSsl(Buffer.from(daemon.ca ?? '')), {
      'grpc.ssl_target_name_override': 'localhost',
      // A channel shared with an earlier daemon would wait out its back-off.
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  async send(write: Write): Promise<Outcome> {
    const { protoId, messages, c2s: own } = ownWrite(write);
    const { RequestSchema, ResponseSchema } = messages;
    const c2s = { packetID: { connID: '0', serialNo: 0 }, ...own };
    const body = encode(RequestSchema, { c2s });
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${this.#key}`);
    if (write.keyed) metadata.set('idempotency-key', write.name);
    const bytes = toBinary(GatewayRequestSchema, create(GatewayRequestSchema, { protoId, body }));
    return new Promise((resolve, reject) => {
      let told: string | undefined;
      const call = this.#client.makeUnaryRequest(
        REQUEST_PATH,
        (sent: Uint8Array) => Buffer.from(sent),
        (got) => got,
        bytes,
        metadata,
        (error, answer) => {
          // The trailing metadata comes with the status, which is told right after this.
          setImmediate(() => {
            if (error !== null) {
              if (told === undefined) reject(error);
              else resolve(refusal(told, error.details));
              return;
            }
            const response = fromBinary(ResponseSchema, fromBinary(GatewayResponseSchema, answer ?? Buffer.of()).body);
            resolve(outcomeOf(response));
          });
        },
      );
      call.on('status', ({ metadata: trailing }) => {
        const [code] = trailing.get('error-code');
        told = typeof code === 'string' ? code : undefined;
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}

class TcpCalls implements StormClient {
  #serialNo = 0;

  private constructor(
    readonly client: CoreTcpClient,
    readonly connId: string,
    readonly packets: Packets,
  ) {}

  static async open(daemon: SpawnedDaemon<KeyId>, packets: Packets): Promise<TcpCalls> {
    const opening = await CoreTcpClient.connect(daemon.apiAddress);
    const init = await Promise.race([
      opening.ask('InitConnect', { clientVer: 1011, clientID: 'storm', recvNotify: false }),
      opening.closed.then(() => Promise.reject(new Error('closed during the handshake'))),
    ]);
    return new TcpCalls(opening, String(init.s2c?.connID), packets);
  }

  async send(write: Write): Promise<Outcome> {
    let packetID = this.packets.get(write.name);
    if (packetID === undefined) {
      packetID = { connID: this.connId, serialNo: ++this.#serialNo };
      this.packets.set(write.name, packetID);
    }
    const { name, c2s: own } = protocolWrite(write);
    const c2s = { packetID, ...own };
    const answer = await Promise.race([
      this.client.ask(name, c2s),
      this.client.closed.then(() => Promise.reject(new Error('the connection broke'))),
    ]);
    return outcomeOf(answer);
  }

  close(): void {
    this.client.close();
  }
}

interface ProtocolAnswer {
  readonly retType: number;
  readonly retMsg?: string;
  readonly errCode?: number;
  readonly s2c?: unknown;
}

function outcomeOf({ retType, retMsg = '', errCode = 0, s2c }: ProtocolAnswer): Outcome {
  if (retType === 0) {
    const { orderID, orderIDEx, bracketId } = s2c as { orderID?: string | bigint; orderIDEx?: string; bracketId?: string };
    // An order of several legs is named by its text alone.
    const ids = { orderId: orderID === undefined ? '0' : String(orderID), orderIdEx: orderIDEx ?? '' };
    return { kind: 'accepted', ...ids, ...(bracketId === undefined ? {} : { bracketId }) };
  }
  if (openErrCodes.has(errCode)) return { kind: 'failed', text: retMsg };
  return { kind: 'refused', code: 'protocol', text: retMsg };
}

function encode(desc: DescMessage, value: unknown): Uint8Array<ArrayBuffer> {
  return toBinary(desc, fromJson(desc, value as Parameters<typeof fromJson>[1]));
}
