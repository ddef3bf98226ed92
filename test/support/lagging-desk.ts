import { create, type Message } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { C2SSchema as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, trade } from '@svc-gateway/contract/operations';
import { type Backend, type CallContext, payloadOf } from '@svc-gateway/gateway';
import { HK_MARGIN } from './accounts.js';
import { type Desk, type DeskOptions, openDesk } from './desk.js';
import { type Lag, lagging } from './lagging-lists.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
export const SETTLED_MS = 500;
export const LAG_MS = 4_000;
/** After a start, so long nothing relies on what lists lack. */
export const START_MS = 10_000;
/** Trd_Common.OrderStatus. */
export const CANCELLED = 15;
export const FILLED = 11;
export const list = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
export const resting = { ...list, symbol: 'HK.00700', side: 'BUY', qty: 100, price: 1 };
export const taking = { ...list, symbol: 'HK.00700', side: 'BUY', order_type: 'MARKET', qty: 100 };
export const futures = { market: 'FUTURES', acc_id: '281756478396547008', env: 'simulate' };

type Answered = ReturnType<Backend['call']>;
/** An answer of the brokerage; `pass` asks it, in the name of `own` where nothing else is said. */
type Answering = (operation: Operation, request: Message, pass: (own?: CallContext) => Answered, own: CallContext) => Answered;

/** A call of another program, or one that nothing keeps back any more. */
export const outside: CallContext = { requestId: 'outside', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

/** A desk whose brokerage lists everything some seconds late, and that may be opened again. */
export class LaggingDesk {
  #desk!: Desk;
  #ask!: Backend['call'];
  #answer: Answering | undefined;

  readonly open = async (
    limits: LimitFlags = {},
    over: Partial<Backend> = {},
    others: Partial<DeskOptions> = {},
    how: Partial<Lag> = {},
  ) => {
    this.#answer = undefined;
    this.#desk = await openDesk({
      keys: {
        desk: { scopes, limits },
        free: { scopes },
        other: { scopes },
        blind: { scopes: ['qot:read', 'trade:simulate'] },
        ops: { scopes: ['admin'] },
      },
      backend: (simulated) => {
        this.#ask = simulated.call.bind(simulated);
        simulated.call = (operation, request, own) => {
          const pass = (as = own) => this.#ask(operation, request, as);
          return this.#answer === undefined ? pass() : this.#answer(operation, request, pass, own);
        };
        return { ...lagging(simulated, () => this.clock, { ms: LAG_MS, ...how }), ...over };
      },
      ...others,
    });
    if (others.store === undefined) this.clock.advance(START_MS);
  };
  readonly close = () => this.#desk.close();

  /** The brokerage answers so from now on; as it would, where nothing is said. */
  answer(answering?: Answering): void {
    this.#answer = answering;
  }

  /** Asks the brokerage past the gateway. */
  readonly ask: Backend['call'] = (...call) => this.#ask(...call);

  get clock() {
    return this.#desk.clock;
  }
  get calls() {
    return this.#desk.calls;
  }
  get audit() {
    return this.#desk.audit;
  }
  get gateway() {
    return this.#desk.gateway;
  }
  readonly call: Desk['call'] = (...call) => this.#desk.call(...call);
  readonly preview: Desk['preview'] = (...call) => this.#desk.preview(...call);
  readonly payload: Desk['payload'] = (...call) => this.#desk.payload(...call);

  /** Lets time pass until something has come of it. */
  readonly inTime = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      this.clock.advance(SETTLED_MS);
      for (let turn = 0; turn < 50 && !isDone; turn++) await new Promise(setImmediate);
    }
    return done;
  };

  readonly codeOf = (operation: Operation, body: object, as = 'desk') => this.#desk.code(operation, body, { as });
  readonly place = async (body: object, as = 'desk') => (await this.payload(trade.placeOrder, body, { as })).orderIDEx;
  readonly halt = (body: object) => this.inTime(this.payload(admin.adminHalt, body, { as: 'ops', iface: 'grpc' }));

  /** The order of another program; its id. */
  async placeOutside(terms: object): Promise<string> {
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const order = {
      header,
      packetID: { connID: 7n, serialNo: 1 },
      trdSide: 1,
      orderType: 1,
      code: '00700',
      secMarket: 1,
      qty: 100,
      price: 1,
    };
    const answer = await this.ask(trade.placeOrder, create(PlaceC2S, { ...order, ...terms }), outside);
    if (answer.retType !== 0) throw new Error(answer.retMsg);
    return payloadOf(trade.placeOrder, answer)?.orderIDEx ?? '';
  }

  /** Statuses of the orders that the brokerage really has. */
  readonly statuses = async () => {
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const query = create(account.getOrders.messages.C2SSchema, { header } as Record<string, unknown>);
    const answer = await this.ask(account.getOrders, query, outside);
    return (payloadOf(account.getOrders, answer)?.orderList ?? []).map(({ orderStatus }) => orderStatus);
  };
}
