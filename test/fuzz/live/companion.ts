import { create } from '@bufbuild/protobuf';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import { decodeBody, encodeBody, encodeFrame, packetEncAlgo, plainText } from '@svc-gateway/wire';
import type { Channel } from './channel.js';
import { logIn, shakeHands } from './handshakes.js';
import type { Listeners } from './listeners.js';
import { TcpChannel } from './tcp-channel.js';
import { WsChannel } from './ws-channel.js';
import { wsRequest } from './ws-stream.js';

/** As long as the published JavaScript client waits. */
const PATIENCE_MS = 5000;
const GET_GLOBAL_STATE = 1002;
const { RequestSchema, ResponseSchema } = GetGlobalState;
const body = encodeBody(RequestSchema, create(RequestSchema, { c2s: { userID: 0n } }), 'protobuf');
const zero = () => 0;

interface Talk {
  readonly channel: Channel;
  readonly request: (number: number) => Buffer;
  readonly waiting: Map<number, () => void>;
}

/** Well-behaved clients, one of each wire, connected all the while: whatever others do, they are served. */
export class Companion {
  readonly #talks: readonly Talk[];
  #asked = 0;

  private constructor(talks: readonly Talk[]) {
    this.#talks = talks;
    for (const { channel, waiting } of talks) {
      channel.onAnswer = ({ protoId, number, body: answer }) => {
        if (protoId !== GET_GLOBAL_STATE) return;
        const read = decodeBody(ResponseSchema, answer, 'protobuf');
        if (read.ok && read.message.retType === 0) waiting.get(Number(number))?.();
      };
    }
  }

  static async start({ tcpPort, websocketPort, keyText }: Listeners): Promise<Companion> {
    const tcp = await TcpChannel.connect(tcpPort, plainText);
    await shakeHands(tcp, plainText, packetEncAlgo.none, zero);
    const websocket = await WsChannel.connect(websocketPort, keyText);
    await logIn(websocket);
    return new Companion([
      {
        channel: tcp,
        request: (serial) => encodeFrame({ protoId: GET_GLOBAL_STATE, format: 'protobuf', serial, body }),
        waiting: new Map(),
      },
      { channel: websocket, request: (section) => wsRequest(zero, GET_GLOBAL_STATE, BigInt(section), body), waiting: new Map() },
    ]);
  }

  /** How many connections these are. */
  get sessions(): number {
    return this.#talks.length;
  }

  /** Asks on each wire; rejects when one is not answered with success in time. */
  async ask(): Promise<void> {
    this.#asked += 1;
    const number = this.#asked;
    await Promise.all(
      this.#talks.map(async ({ channel, request, waiting }) => {
        let timer: NodeJS.Timeout | undefined;
        try {
          await new Promise<void>((resolve, reject) => {
            waiting.set(number, resolve);
            timer = setTimeout(() => reject(new Error('a well-behaved client is not answered any more')), PATIENCE_MS);
            channel.write(request(number));
          });
        } finally {
          clearTimeout(timer);
          waiting.delete(number);
        }
      }),
    );
  }

  stop(): void {
    for (const { channel } of this.#talks) channel.reset();
  }
}
