import { constants, createCipheriv, createDecipheriv, createHash, createPublicKey, privateDecrypt, publicEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type MessageName, messageNamed, type PublicResponse, PushLog, protocolIds } from './public-protocol.js';
import { publishedDecode, publishedEncode } from './published-client.js';

/**
 * A client of core TCP, written from the description of the protocol alone and with the published client's messages: nothing
 * of it is shared with the daemon.
 */

type BodyFormat = 'protobuf' | 'json';

export interface TcpClientOptions {
  /** Format of the requests; default protobuf. */
  readonly format?: BodyFormat;
  /** PEM of the RSA private key that the daemon has too. */
  readonly rsaKey?: string;
  /** Fields of InitConnect beside those that are required. */
  readonly init?: Record<string, unknown>;
}

/** A frame as it came. */
export interface TcpFrame {
  readonly protoId: number;
  readonly format: number;
  readonly serial: number;
  readonly body: Buffer;
}

interface Sealer {
  seal(plain: Buffer): Buffer;
  open(sealed: Buffer): Buffer;
}

/** Common.PacketEncAlgo. */
const NOT_ENCRYPTED = -1;
const OWN_ECB = 0;
const HEADER_BYTES = 44;
const clear: Sealer = { seal: (plain) => plain, open: (sealed) => sealed };

export class CoreTcpClient {
  readonly pushes = new PushLog();
  /** Protocol ids of everything that came, in order. */
  readonly arrived: number[] = [];
  readonly closed: Promise<unknown>;
  readonly format: BodyFormat;
  /** The answer to InitConnect. */
  init: PublicResponse = { retType: -400 };
  #sealer: Sealer = clear;
  /** Bodies after InitConnect are sealed. */
  #algorithm: number = NOT_ENCRYPTED;
  #serial = 0;
  #rest = Buffer.alloc(0);
  readonly #waiting = new Map<string, (frame: TcpFrame) => void>();

  private constructor(
    readonly socket: Socket,
    format: BodyFormat,
  ) {
    this.format = format;
    this.closed = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#received(chunk));
  }

  /** Connects, without a handshake. */
  static async connect(address: string, format: BodyFormat = 'protobuf'): Promise<CoreTcpClient> {
    const [host = '', port] = address.split(':');
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    return new CoreTcpClient(socket, format);
  }

  /** Connects and shakes hands. */
  static async open(address: string, { format = 'protobuf', rsaKey, init = {} }: TcpClientOptions = {}): Promise<CoreTcpClient> {
    const client = await CoreTcpClient.connect(address, format);
    if (rsaKey !== undefined) client.#sealer = rsa(rsaKey);
    client.#algorithm = rsaKey === undefined ? NOT_ENCRYPTED : Number(init.packetEncAlgo ?? OWN_ECB);
    client.init = await client.ask('InitConnect', { clientVer: 1011, clientID: 'test', recvNotify: true, ...init });
    return client;
  }

  /** Asks and decodes the answer. */
  async ask(name: MessageName, c2s: object): Promise<PublicResponse> {
    const body = this.format === 'json' ? Buffer.from(JSON.stringify({ c2s })) : Buffer.from(publishedEncode(`${name}.Request`, { c2s }));
    const frame = await this.send(protocolIds[name], body);
    return decode(name, frame);
  }

  /** Sends a body as it is; the frame that answers it. */
  send(protoId: number, body: Buffer, serial = ++this.#serial): Promise<TcpFrame> {
    const answered = new Promise<TcpFrame>((resolve) => this.#waiting.set(`${protoId} ${serial}`, resolve));
    this.socket.write(this.frame(protoId, body, serial));
    return answered;
  }

  /** The bytes of a request. */
  frame(protoId: number, body: Buffer, serial: number): Buffer {
    const sealed = this.#sealer.seal(body);
    const bytes = Buffer.alloc(HEADER_BYTES + sealed.length);
    bytes.write('FT', 'latin1');
    bytes.writeUInt32LE(protoId, 2);
    bytes.writeUInt8(this.format === 'json' ? 1 : 0, 6);
    bytes.writeUInt32LE(serial, 8);
    bytes.writeUInt32LE(sealed.length, 12);
    createHash('sha1').update(body).digest().copy(bytes, 16);
    sealed.copy(bytes, HEADER_BYTES);
    return bytes;
  }

  close(): void {
    this.socket.destroy();
  }

  #received(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= HEADER_BYTES) {
      if (this.#rest.toString('latin1', 0, 2) !== 'FT') throw new Error('a frame does not start with FT');
      const end = HEADER_BYTES + this.#rest.readUInt32LE(12);
      if (this.#rest.length < end) return;
      const body = this.#sealer.open(this.#rest.subarray(HEADER_BYTES, end));
      if (!createHash('sha1').update(body).digest().equals(this.#rest.subarray(16, 36))) throw new Error('the digest is wrong');
      if (body.length === 0) throw new Error('a body is empty');
      this.#frame({ protoId: this.#rest.readUInt32LE(2), format: this.#rest.readUInt8(6), serial: this.#rest.readUInt32LE(8), body });
      this.#rest = this.#rest.subarray(end);
    }
  }

  #frame(frame: TcpFrame): void {
    this.arrived.push(frame.protoId);
    const key = `${frame.protoId} ${frame.serial}`;
    const answer = this.#waiting.get(key);
    if (answer !== undefined) {
      this.#waiting.delete(key);
      if (frame.protoId === protocolIds.InitConnect) this.#adopt(frame);
      answer(frame);
      return;
    }
    const name = messageNamed(frame.protoId);
    this.pushes.add({ name, serial: frame.serial, format: frame.format === 1 ? 'json' : 'protobuf', response: decode(name, frame) });
  }

  /** The next frame may already be sealed with what InitConnect's answer says. */
  #adopt(frame: TcpFrame): void {
    const { connAESKey, aesCBCiv } = (decode('InitConnect', frame).s2c ?? {}) as { connAESKey?: string; aesCBCiv?: string };
    this.#sealer = clear;
    if (this.#algorithm === NOT_ENCRYPTED || connAESKey === undefined) return;
    this.#sealer = this.#algorithm === OWN_ECB ? ownEcb(connAESKey) : aes(connAESKey, aesCBCiv);
  }
}

function decode(name: MessageName, { format, body }: TcpFrame): PublicResponse {
  const read = format === 1 ? JSON.parse(body.toString()) : publishedDecode(`${name}.Response`, body);
  return read as PublicResponse;
}

function rsa(pem: string): Sealer {
  const publicKey = createPublicKey(pem);
  const pieces = (bytes: Buffer, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
  return {
    seal: (plain) =>
      Buffer.concat(pieces(plain, 100).map((piece) => publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, piece))),
    open: (sealed) =>
      Buffer.concat(
        pieces(sealed, 128).map((piece) => {
          const padded = privateDecrypt({ key: pem, padding: constants.RSA_NO_PADDING }, piece);
          if (padded[0] !== 0 || padded[1] !== 2) throw new Error('the padding is wrong');
          return padded.subarray(padded.indexOf(0, 2) + 1);
        }),
      ),
  };
}

function ownEcb(key: string): Sealer {
  return {
    seal(plain) {
      const tail = plain.length % 16;
      const padded = tail === 0 ? plain : Buffer.concat([plain, Buffer.alloc(16 - tail)]);
      const last = Buffer.alloc(16);
      last[15] = tail;
      return Buffer.concat([createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(padded), last]);
    },
    open(sealed) {
      const tail = sealed[sealed.length - 1] ?? 0;
      const padded = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(sealed.subarray(0, -16));
      return tail === 0 ? padded : padded.subarray(0, padded.length - 16 + tail);
    },
  };
}

/** As everywhere: CBC where there is an initialisation vector. */
function aes(key: string, iv?: string): Sealer {
  const mode = iv === undefined ? 'aes-128-ecb' : 'aes-128-cbc';
  return {
    seal(plain) {
      const cipher = createCipheriv(mode, key, iv ?? null);
      return Buffer.concat([cipher.update(plain), cipher.final()]);
    },
    open(sealed) {
      const decipher = createDecipheriv(mode, key, iv ?? null);
      return Buffer.concat([decipher.update(sealed), decipher.final()]);
    },
  };
}
