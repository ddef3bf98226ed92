import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type MessageName, messageNamed, type PublicResponse, PushLog, protocolIds } from './public-protocol.js';
import { publishedDecode, publishedEncode, publishedSocket } from './published-client.js';

export interface WsAnswer {
  readonly error: number;
  readonly errorText: string;
  /** undefined = no body came. */
  readonly body: Buffer | undefined;
}

const INIT_WEBSOCKET = 1;

/** A client of the core WebSocket over a plain `ws` socket, with the published client's framing and messages. */
export class CoreWsClient {
  readonly pushes = new PushLog();
  readonly closed: Promise<{ code: number; reason: string }>;
  #section = 0;
  readonly #waiting = new Map<string, (answer: WsAnswer) => void>();

  private constructor(readonly webSocket: WebSocket) {
    this.closed = new Promise((resolve) => webSocket.on('close', (code, reason) => resolve({ code, reason: String(reason) })));
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data) => this.#received(data as Buffer));
  }

  /** Connects, without a handshake. */
  static async connect(
    url: string,
    options: { readonly ca?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<CoreWsClient> {
    const webSocket = new WebSocket(url, options);
    const client = new CoreWsClient(webSocket);
    await once(webSocket, 'open');
    return client;
  }

  /** Connects and shows a key, as the published client does: by its MD5. */
  static async open(url: string, keyText = '', ca?: string): Promise<CoreWsClient> {
    const client = await CoreWsClient.connect(url, ca === undefined ? {} : { ca });
    const answer = await client.login(keyText);
    if (answer.error !== 0) throw new Error(`refused: ${answer.errorText}`);
    return client;
  }

  login(keyText: string): Promise<WsAnswer> {
    const websocketKey = keyText === '' ? '' : createHash('md5').update(keyText).digest('hex');
    return this.send(
      INIT_WEBSOCKET,
      publishedEncode('InitWebSocket.Request', { c2s: { websocketKey, programmingLanguage: 'JavaScript' } }),
    );
  }

  async ask(name: MessageName, c2s: object): Promise<PublicResponse> {
    const { error, body } = await this.send(protocolIds[name], publishedEncode(`${name}.Request`, { c2s }));
    if (error !== 0 || body === undefined) throw new Error(`${name}: error ${error} or no body`);
    return publishedDecode(`${name}.Response`, body) as unknown as PublicResponse;
  }

  /** Sends a body as it is. */
  send(command: number, body: Uint8Array): Promise<WsAnswer> {
    this.#section += 1;
    const section = this.#section;
    const answered = new Promise<WsAnswer>((resolve) => this.#waiting.set(String(section), resolve));
    this.webSocket.send(Buffer.from(publishedSocket.packBuff(command, section, body)));
    return answered;
  }

  async close(): Promise<void> {
    this.webSocket.close();
    await this.closed;
  }

  #received(data: Buffer): void {
    const bytes = new Uint8Array(data).buffer;
    const { cmd, section, error, errmsg, buff } = publishedSocket.unpackBuff(bytes);
    const body = buff === undefined ? undefined : Buffer.from(buff);
    const answer = this.#waiting.get(section.toString());
    if (answer !== undefined) {
      this.#waiting.delete(section.toString());
      answer({ error, errorText: errmsg, body });
      return;
    }
    if (section.toString() !== '0' || error !== 0 || body === undefined) throw new Error(`command ${cmd}: neither an answer nor a push`);
    const name = messageNamed(cmd);
    const response = publishedDecode(`${name}.Response`, body) as unknown as PublicResponse;
    this.pushes.add({ name, serial: 0, format: 'protobuf', response });
  }
}
