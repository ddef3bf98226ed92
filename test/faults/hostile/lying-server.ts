import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as QotUpdateBroker from '@svc-gateway/contract/generated/Qot_UpdateBroker_pb';
import * as QotUpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import * as QotUpdateOrderBook from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import * as QotUpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import * as QotUpdateRT from '@svc-gateway/contract/generated/Qot_UpdateRT_pb';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import { operations } from '@svc-gateway/contract/operations';
import type { Frame } from '@svc-gateway/wire';
import { type Peer, ScriptedServer } from '../../support/scripted-server.js';
import { usualAnswer } from '../../support/usual-answers.js';
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
/** Answers that keep the conversation going. */
const truths: ReadonlySet<number> = new Set([1001, 1002, 1004, 2001, 2008, 3001, 3003]);
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

  private constructor(
    private readonly server: ScriptedServer,
    private readonly random: () => number,
    readonly accId: bigint,
  ) {
    server.greets = server.alive = server.remembers = false;
    server.onRequest = (frame, peer) => this.#take(frame, peer);
  }

  static async listen(random: () => number, accId: bigint): Promise<LyingServer> {
    return new LyingServer(await ScriptedServer.listen(), random, accId);
  }

  get endpoint() {
    return this.server.endpoint;
  }

  /** Pushes what nobody can make sense of, of every kind. */
  push(): void {
    for (const [protoId, desc] of pushes) {
      const header = this.random() < 0.9 ? { accID: this.accId } : {};
      const body = lie(desc, this.random, PUSH_LIST_MAX, { retType: 0, s2c: protoId === 2208 || protoId === 2218 ? { header } : {} });
      const format = this.random() < 0.05 ? 'json' : 'protobuf';
      for (const peer of this.server.connections) peer.write({ protoId, serial: 0, format, body });
    }
  }

  close(): Promise<void> {
    return this.server.close();
  }

  #take({ protoId, serial, body: asked }: Frame, peer: Peer): void {
    if (protoId === 2202) this.remarks.push(fromBinary(TrdPlaceOrder.RequestSchema, asked).c2s?.remark ?? '');
    const told = truths.has(protoId) ? usualAnswer(protoId, { accIds: [this.accId], marketState: OPEN }) : undefined;
    if (told !== undefined && (this.honest || this.random() < TRUE_SHARE)) {
      peer.answer({ protoId, serial, format: 'protobuf', body: asked }, told.messages, { retType: 0, s2c: told.s2c });
      return;
    }
    const desc = responses.get(protoId) ?? KeepAlive.ResponseSchema;
    const drawn = this.random();
    const honest = drawn < 0.8 ? { retType: 0, s2c: {} } : { retType: pick(this.random, [-1, -100, -200, -400, 7]) };
    const body = lie(desc, this.random, ANSWER_LIST_MAX, honest);
    const answer = { protoId, serial, format: 'protobuf', body } as const;
    // To what nobody asked, of another kind, and twice.
    if (drawn > 0.97) peer.write({ ...answer, serial: serial + 1 });
    if (drawn > 0.95) peer.write({ ...answer, protoId: protoId + 1 });
    peer.write(answer);
    if (drawn < 0.05) peer.write(answer);
  }
}
