import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import * as TrdGetOrderFillList from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import * as TrdGetOrderList from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { encodeFrame, FrameReader } from '@svc-gateway/wire';

/** Program status: ready. */
const READY = 10;
/** QotMarketState: closed. */
const CLOSED = 6;

interface Answer {
  readonly messages: ProtocolMessages;
  readonly s2c: (c2s: Message) => object;
}

const markets = ['HK', 'US', 'SH', 'SZ', 'HKFuture'].map((name) => [`market${name}`, CLOSED] as const);

/**
 * A server of the public protocol that is logged in, has one account and says yes to everything. It keeps nothing of anybody who
 * has gone: what memory grows is not its own.
 */
export class AnsweringServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answers: ReadonlyMap<number, Answer>;
  #connections = 0;
  #orders = 0;
  /** It lets nobody in. */
  down = false;

  private constructor(readonly accId: bigint) {
    const header = { trdEnv: 0, accID: accId, trdMarket: 1 };
    const account = { ...header, trdMarketAuthList: [1], accType: 1 };
    const answer = <M extends ProtocolMessages>(messages: M, s2c: (c2s: never) => object): Answer => ({
      messages,
      s2c: s2c as (c2s: Message) => object,
    });
    this.#answers = new Map([
      [1001, answer(InitConnect, () => this.#greeting())],
      [1002, answer(GetGlobalState, () => globalState)],
      [1004, answer(KeepAlive, () => ({ time: 1n }))],
      [2001, answer(TrdGetAccList, () => ({ accList: [account] }))],
      [2008, answer(TrdSubAccPush, () => ({}))],
      [2201, answer(TrdGetOrderList, () => ({ header, orderList: [] }))],
      [2202, answer(TrdPlaceOrder, () => ({ header, orderID: BigInt(++this.#orders), orderIDEx: `order-${this.#orders}` }))],
      [2211, answer(TrdGetOrderFillList, () => ({ header, orderFillList: [] }))],
      [3001, answer(QotSub, () => ({}))],
      [3003, answer(QotGetSubInfo, () => ({ totalUsedQuota: 0, remainQuota: 1000 }))],
    ]);
    this.#server = createServer({ noDelay: true }, (socket) => this.#join(socket));
  }

  static async listen(accId: bigint): Promise<AnsweringServer> {
    const server = new AnsweringServer(accId);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get endpoint() {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #join(socket: Socket): void {
    socket.on('error', () => undefined);
    if (this.down) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    const reader = new FrameReader();
    socket.on('data', (chunk) => {
      reader.push(chunk);
      for (let read = reader.next(); read !== undefined; read = reader.next()) {
        if (!read.ok) throw new Error(read.error.message);
        const { protoId, serial, body } = read.frame;
        const answer = this.#answers.get(protoId);
        if (answer === undefined) {
          this.#refuse(socket, protoId, serial);
          continue;
        }
        const { c2s } = fromBinary(answer.messages.RequestSchema, body) as Message & { c2s: Message };
        this.#send(socket, protoId, serial, answer.messages, answer.s2c(c2s));
        if (protoId === 3001) this.#pushQuotes(socket, c2s as QotSub.C2S);
      }
    });
  }

  /** Refuses an unknown request with the head that all answers share. */
  #refuse(socket: Socket, protoId: number, serial: number): void {
    const body = toBinary(KeepAlive.ResponseSchema, create(KeepAlive.ResponseSchema, { retType: -1, retMsg: 'unknown protocol id' }));
    socket.write(encodeFrame({ protoId, serial, format: 'protobuf', body }));
  }

  #send(socket: Socket, protoId: number, serial: number, { ResponseSchema }: Pick<ProtocolMessages, 'ResponseSchema'>, s2c: object): void {
    const body = toBinary(ResponseSchema, create(ResponseSchema, { retType: 0, s2c } as Record<string, unknown>));
    socket.write(encodeFrame({ protoId, serial, format: 'protobuf', body }));
  }

  #pushQuotes(socket: Socket, { securityList, isSubOrUnSub }: QotSub.C2S): void {
    if (!isSubOrUnSub) return;
    for (const security of securityList) {
      const quote = {
        security,
        isSuspended: false,
        listTime: '',
        priceSpread: 0.1,
        updateTime: '',
        highPrice: 1,
        openPrice: 1,
        lowPrice: 1,
      };
      const rest = { curPrice: 1, lastClosePrice: 1, volume: 1n, turnover: 1, turnoverRate: 1, amplitude: 1 };
      this.#send(socket, 3005, 0, QotUpdateBasicQot, { basicQotList: [{ ...quote, ...rest }] });
    }
  }

  #greeting(): object {
    this.#connections += 1;
    return {
      serverVer: 1011,
      loginUserID: 7n,
      connID: BigInt(this.#connections),
      connAESKey: 'ABCDEFGHIJKLMNOP',
      keepAliveInterval: 10,
    };
  }
}

const globalState = {
  ...Object.fromEntries(markets),
  qotLogined: true,
  trdLogined: true,
  serverVer: 1011,
  serverBuildNo: 1,
  time: 1n,
  programStatus: { type: READY },
};
