import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as QotUpdateBroker from '@svc-gateway/contract/generated/Qot_UpdateBroker_pb';
import * as QotUpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import * as QotUpdateOrderBook from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import * as QotUpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import * as QotUpdateRT from '@svc-gateway/contract/generated/Qot_UpdateRT_pb';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import { operations } from '@svc-gateway/contract/operations';
import { encodeFrame, type Frame, FrameReader } from '@svc-gateway/wire';
import { pick } from '../backends/stage.js';
import { lie } from './lies.js';

const pushes: ReadonlyMap<number, DescMessage> = new Map<number, DescMessage>([
  [1003, Notify.ResponseSchema],
  [2208, TrdUpdateOrder.ResponseSchema],
  [2218, TrdUpdateOrderFill.ResponseSchema],
  [3005, QotUpdateBasicQot.ResponseSchema],
  [3007, QotUpdateKL.ResponseSchema],
  [3009, QotUpdateRT.ResponseSchema],
  [3011, QotUpdateTicker.ResponseSchema],
  [3013, QotUpdateOrderBook.ResponseSchema],
  [3015, QotUpdateBroker.ResponseSchema],
  [3019, QotUpdatePriceReminder.ResponseSchema],
]);
const responses = new Map(operations.map(({ protoId, messages }) => [protoId, messages.ResponseSchema as DescMessage]));
const OPEN = 5;

/** The longest lists of answers and of pushes. */
const ANSWER_LIST_MAX = 2_000;
const PUSH_LIST_MAX = 100;
/** Fraction of true answers among those that keep the conversation going. */
const TRUE_SHARE = 0.97;

/** A server of the public protocol that lets its client in, and then lies in whatever it answers and pushes. */
export class LyingServer {
  /** Remarks of the orders that came, each as often as it came. */
  readonly remarks: string[] = [];
  /** It does not lie yet, or not any more. */
  honest = true;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(
    private readonly random: () => number,
    readonly accId: bigint,
  ) {
    this.#server = createServer({ noDelay: true }, (socket) => this.#join(socket));
  }

  static async listen(random: () => number, accId: bigint): Promise<LyingServer> {
    const server = new LyingServer(random, accId);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get endpoint() {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  /** Pushes what nobody can make sense of, of every kind. */
  push(): void {
    for (const [protoId, desc] of pushes) {
      const header = this.random() < 0.9 ? { accID: this.accId } : {};
      const body = lie(desc, this.random, PUSH_LIST_MAX, { retType: 0, s2c: protoId === 2208 || protoId === 2218 ? { header } : {} });
      const format = this.random() < 0.05 ? 'json' : 'protobuf';
      for (const socket of this.#sockets) this.#write(socket, { protoId, serial: 0, format, body });
    }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    const reader = new FrameReader();
    socket.on('data', (chunk) => {
      reader.push(chunk);
      for (let read = reader.next(); read !== undefined; read = reader.next()) {
        if (!read.ok) throw new Error(read.error.message);
        this.#take(socket, read.frame);
      }
    });
  }

  #take(socket: Socket, { protoId, serial, body: asked }: Frame): void {
    if (protoId === 2202) this.remarks.push(fromBinary(TrdPlaceOrder.RequestSchema, asked).c2s?.remark ?? '');
    const told = this.#truth(protoId);
    if (told !== undefined && (this.honest || this.random() < TRUE_SHARE)) {
      this.#write(socket, { protoId, serial, format: 'protobuf', body: told });
      return;
    }
    const desc = responses.get(protoId) ?? KeepAlive.ResponseSchema;
    const drawn = this.random();
    const honest = drawn < 0.8 ? { retType: 0, s2c: {} } : { retType: pick(this.random, [-1, -100, -200, -400, 7]) };
    const body = lie(desc, this.random, ANSWER_LIST_MAX, honest);
    // To what nobody asked, of another kind, and twice.
    if (drawn > 0.97) this.#write(socket, { protoId, serial: serial + 1, format: 'protobuf', body });
    if (drawn > 0.95) this.#write(socket, { protoId: protoId + 1, serial, format: 'protobuf', body });
    this.#write(socket, { protoId, serial, format: 'protobuf', body });
    if (drawn < 0.05) this.#write(socket, { protoId, serial, format: 'protobuf', body });
  }

  #write(socket: Socket, frame: Frame): void {
    if (socket.writable) socket.write(encodeFrame(frame));
  }

  /** Answers that keep the conversation going. */
  #truth(protoId: number): Uint8Array | undefined {
    switch (protoId) {
      case 1001:
        return encode(InitConnect.ResponseSchema, {
          serverVer: 1011,
          loginUserID: 7n,
          connID: 1n,
          connAESKey: 'ABCDEFGHIJKLMNOP',
          keepAliveInterval: 10,
        });
      case 1002:
        return encode(GetGlobalState.ResponseSchema, globalState);
      case 1004:
        return encode(KeepAlive.ResponseSchema, { time: 1n });
      case 2001:
        return encode(TrdGetAccList.ResponseSchema, { accList: [{ trdEnv: 0, accID: this.accId, trdMarketAuthList: [1], accType: 1 }] });
      case 2008:
        return encode(TrdSubAccPush.ResponseSchema, {});
      case 3001:
        return encode(QotSub.ResponseSchema, {});
      case 3003:
        return encode(QotGetSubInfo.ResponseSchema, { totalUsedQuota: 0, remainQuota: 1000 });
      default:
        return undefined;
    }
  }
}

function encode(desc: DescMessage, s2c: object): Uint8Array {
  return toBinary(desc, create(desc, { retType: 0, s2c } as Record<string, unknown>));
}

const globalState = {
  ...Object.fromEntries(['HK', 'US', 'SH', 'SZ', 'HKFuture'].map((name) => [`market${name}`, OPEN])),
  qotLogined: true,
  trdLogined: true,
  serverVer: 1011,
  serverBuildNo: 1,
  time: 1n,
  programStatus: { type: 10 },
};
