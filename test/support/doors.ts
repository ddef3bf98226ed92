import { create, fromBinary, type Message, toBinary, toJsonString } from '@bufbuild/protobuf';
import { systemClock } from '@svc-gateway/contract/clock';
import type { Operation } from '@svc-gateway/contract/operation';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import { argumentNames } from '@svc-gateway/contract/tool-arguments';
import type { Gateway } from '@svc-gateway/gateway';
import { PageOrigins } from '@svc-gateway/interfaces/common/page-origins';
import { CoreWsEndpoint, gatewayTcpService, TcpEndpoint } from '@svc-gateway/interfaces/core';
import { CoreTcpClient } from './core-tcp-client.js';
import { CoreWsClient } from './core-ws-client.js';
import type { GrpcClient } from './grpc-client.js';
import { HttpClient } from './http-client.js';
import { McpClient } from './mcp-client.js';
import { spellings } from './spellings.js';

/** Outcome of a request: admitted by the gateway's guards, or the guard that refused it. */
export type Verdict = 'served' | 'forbidden' | 'limited' | 'not_subscribed' | string;

/** An answer, or a refusal. */
export interface Told {
  readonly verdict: Verdict;
  /** As JSON, with the names of its interface. */
  readonly text: string;
}

/** One way to ask, by its name. */
export interface Attempt {
  readonly way: string;
  readonly ask: () => Promise<Verdict>;
  readonly hear: () => Promise<Told>;
}

function attempt(way: string, hear: () => Promise<Told>): Attempt {
  return { way, hear, ask: async () => (await hear()).verdict };
}

/** The system under test: a gateway with its REST, MCP and gRPC interfaces, or a whole daemon. */
export interface DoorsSite {
  readonly gateway: Gateway;
  readonly url: string;
  readonly ca?: string | undefined;
  readonly log: string[];
  key(id: string): string;
}

/** Every interface of a gateway, opened for a key, and each way in which a request can be made there. */
export class Doors {
  private constructor(
    readonly served: DoorsSite,
    readonly keyId: string,
    readonly grpc: GrpcClient,
    readonly mcp: McpClient,
    readonly websocket: CoreWsEndpoint,
    readonly api: TcpEndpoint,
    readonly ports: { readonly websocket: number; readonly api: number },
  ) {}

  static async open(served: DoorsSite, keyId: string, grpc: GrpcClient, operations: readonly Operation[]): Promise<Doors> {
    const services = {
      gateway: served.gateway,
      clock: systemClock,
      ids: new ProtocolIds(operations),
      nextRequestId: () => 'test',
      onDefect: (error: unknown) => served.log.push(String(error)),
    };
    const address = { host: '127.0.0.1', port: 0 };
    const websocket = new CoreWsEndpoint({ services, origins: new PageOrigins([]) });
    const api = new TcpEndpoint({ service: gatewayTcpService(services, { kind: 'id', id: keyId }), ...services });
    const ports = { websocket: await websocket.listen(address), api: await api.listen(address) };
    const mcp = await McpClient.open(served, { keyText: served.key(keyId) });
    return new Doors(served, keyId, grpc, mcp, websocket, api, ports);
  }

  async close(): Promise<void> {
    await this.mcp.close();
    await this.websocket.close();
    await this.api.close();
  }

  /** Every way to make a request over every interface. */
  attempts(operation: Operation, request: Message): readonly Attempt[] {
    return [...this.#rest(operation, request), ...this.#tools(operation, request), ...this.#protocol(operation, request)];
  }

  #rest(operation: Operation, request: Message): readonly Attempt[] {
    const client = new HttpClient(this.served.url, this.served.ca, this.served.key(this.keyId));
    const bodies = spellings(operation, request, 'rest').flatMap(Object.entries) as [string, string][];
    return operation.rest.flatMap(({ method, path }) =>
      bodies.flatMap(([spelling, body]): Attempt[] => {
        if (method === 'GET' && spelling.includes('c2s')) return [];
        const hear = async () => {
          const answer = method === 'GET' ? await client.get(`${path}${queryOf(body)}`) : await client.request(method, path, { body });
          return { verdict: verdictOf(answer.status === 200 ? undefined : answer.json.code, answer.text), text: answer.text };
        };
        return [attempt(`${method} ${path} ${spelling}`, hear)];
      }),
    );
  }

  #tools(operation: Operation, request: Message): readonly Attempt[] {
    const { tool } = operation;
    if (tool === null) return [];
    const [first] = spellings(operation, request, 'mcp');
    const lowLevel = spellings(operation, request, 'mcp').find((spelling) => 'low-level' in spelling)?.['low-level'];
    const friendly = JSON.parse(first?.friendly ?? '{}');
    const known = argumentNames(operation);
    // Fields without an argument are in the message.
    const isSaid = Object.keys(friendly).every((name) => known.has(name));
    const forms = [
      ['friendly', isSaid ? friendly : { c2s: JSON.parse(lowLevel ?? '{}') }],
      ...(operation.messages.C2SSchema.fields.length === 0 ? [] : [['c2s_json', { c2s_json: lowLevel }] as const]),
    ] as const;
    return forms.map(([form, args]) =>
      attempt(`${tool} ${form}`, async () => {
        const answer = await this.mcp.call(tool, args);
        return { verdict: verdictOf(answer.isError ? String(answer.json.code) : undefined, answer.text), text: answer.text };
      }),
    );
  }

  async #grpc(protoId: number, body: Uint8Array, read: (bytes: Uint8Array) => string): Promise<Told> {
    const { code, details, body: answer } = await this.grpc.call({ key: this.served.key(this.keyId), protoId, body });
    const verdicts: Readonly<Record<string, Verdict>> = { OK: 'served', PERMISSION_DENIED: 'forbidden', RESOURCE_EXHAUSTED: 'limited' };
    return { verdict: verdicts[code] ?? `${code}: ${details}`, text: answer === undefined ? details : read(answer) };
  }

  #protocol({ protoId, messages }: Operation, c2s: Message): readonly Attempt[] {
    if (protoId === null) return [];
    const message = create(messages.RequestSchema, { c2s } as Record<string, unknown>);
    const body = toBinary(messages.RequestSchema, message);
    const json = Buffer.from(toJsonString(messages.RequestSchema, message));
    const read = (bytes: Uint8Array) => toJsonString(messages.ResponseSchema, fromBinary(messages.ResponseSchema, bytes));
    const told = (text: string): Told => ({ verdict: numericVerdict(JSON.parse(text)), text });
    return [
      attempt('gRPC', () => this.#grpc(protoId, body, read)),
      attempt('core WebSocket', async () => told(read(await this.#websocket(protoId, body)))),
      attempt('core TCP', async () => told(read(await this.#tcp('protobuf', protoId, Buffer.from(body))))),
      attempt('core TCP, JSON', async () => told(String(await this.#tcp('json', protoId, json)))),
    ];
  }

  async #websocket(protoId: number, body: Uint8Array): Promise<Uint8Array> {
    const client = await CoreWsClient.open(`ws://127.0.0.1:${this.ports.websocket}`, this.served.key(this.keyId));
    const answer = await client.send(protoId, body);
    await client.close();
    return answer.body ?? new Uint8Array();
  }

  async #tcp(format: 'protobuf' | 'json', protoId: number, body: Buffer): Promise<Buffer> {
    const client = await CoreTcpClient.open(`127.0.0.1:${this.ports.api}`, { format, init: { packetEncAlgo: -1 } });
    const answer = await client.send(protoId, body);
    client.close();
    return answer.body;
  }
}

/** A GET's parameters: what a body of JSON says, as far as it is no object. */
function queryOf(body: string): string {
  const fields = Object.entries(JSON.parse(body) as Record<string, unknown>).filter(([, value]) => typeof value !== 'object');
  return fields.length === 0 ? '' : `?${fields.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}

function verdictOf(code: string | undefined, text: string): Verdict {
  if (code === undefined) return 'served';
  if (code.startsWith('auth.')) return 'forbidden';
  return code.startsWith('limit.') ? 'limited' : `${code}: ${text}`;
}

/** Head of every `Response`. */
interface Response {
  readonly retType: number;
  readonly retMsg?: string;
  readonly errCode?: number;
}

/** The HTTP status of a refusal stands in `errCode`. */
function numericVerdict({ retType, retMsg = '', errCode = 0 }: Response): Verdict {
  // Another operation has had the packet id: that is looked at when the request has been permitted.
  if (retType === 0 || errCode === 0 || errCode === 409) return 'served';
  if (errCode === 403) return 'forbidden';
  if (errCode === 429) return 'limited';
  return errCode === 400 && retMsg.includes('subscri') ? 'not_subscribed' : `${errCode}: ${retMsg}`;
}
