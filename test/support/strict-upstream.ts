import { create, type Message } from '@bufbuild/protobuf';
import { type Clock, ManualClock } from '@svc-gateway/contract/clock';
import { symbolOf } from '@svc-gateway/contract/markets';
import { BackendLost, BackendTimeout, type ResponseMessage } from '@svc-gateway/gateway';
import type { ProtocolOperation, RequestOptions, Upstream } from '@svc-gateway/protocol-client';
import { FREQUENCY_WINDOW_MS, frequencyBudget, frequencyLimitOf, neededSubscriptions, sizeLimitOf } from '@svc-gateway/wire';

interface Named {
  readonly market: number;
  readonly code: string;
}

/** A request as it arrived. */
export interface Arrival {
  readonly protoId: number;
  readonly at: number;
  readonly c2s: Readonly<Record<string, unknown>>;
}

interface Wishes {
  /** Milliseconds of each request's way there and back. */
  readonly latency?: () => readonly [there: number, back: number];
  readonly quota?: number;
  /** Counted apart, as newer upstreams do. */
  readonly optionQuota?: number;
  /** Units that other connections hold. */
  readonly others?: number;
  /** After a subscription nothing is known for so long. */
  readonly firstDataMs?: number;
}

const lists: Readonly<Record<number, string>> = {
  3004: 'basicQotList',
  3202: 'staticInfoList',
  3203: 'snapshotList',
  3223: 'marketInfoList',
};
/** Symbols of one request where no bound is published. */
const SYMBOLS_MAX = 200;
const MINUTE_MS = 60_000;

/**
 * An upstream that forgives nothing: it refuses what breaks one of its rules, in a real one's words, and notes it in
 * {@link broken}. Its numbers are the published ones; its counting is its own.
 */
export class StrictUpstream implements Upstream {
  readonly arrivals: Arrival[] = [];
  /** Each rule that was broken. */
  readonly broken: string[] = [];
  /** By "HK.00700 1": since when. */
  readonly units = new Map<string, number>();
  /** Units that pushes are registered for. */
  readonly pushed = new Map<string, readonly number[]>();
  /** Symbols that do not exist. */
  readonly unknown = new Set<string>();
  /** Refusals per operation in place of its answer. */
  readonly says = new Map<number, (c2s: Record<string, unknown>) => string | undefined>();
  quota: number;
  others: number;
  readonly #logs = new Map<string, number[]>();
  readonly #wishes: Wishes;
  readonly #underWay = new Set<() => void>();
  silent = false;

  constructor(
    private readonly clock: Clock,
    wishes: Wishes = {},
  ) {
    this.#wishes = wishes;
    this.quota = wishes.quota ?? 100;
    this.others = wishes.others ?? 0;
  }

  /** Requests of this id that arrived. */
  of(protoId: number): readonly Arrival[] {
    return this.arrivals.filter((arrival) => arrival.protoId === protoId);
  }

  /** The connection is lost: what is under way has no answer, and nothing is subscribed to any more. */
  drop(): void {
    for (const lose of [...this.#underWay]) lose();
    this.units.clear();
    this.pushed.clear();
  }

  request(asked: ProtocolOperation, c2s: Message, { deadline, signal }: RequestOptions): Promise<ResponseMessage> {
    const [way, back] = this.#wishes.latency?.() ?? [1, 1];
    // On its way a request may come closer to the one before: what has to be apart is sent over a short one.
    const there = frequencyLimitOf(asked.protoId ?? 0)?.spacingMs === undefined ? way : 1;
    return new Promise((resolve, reject) => {
      let over = false;
      const end = () => {
        over = true;
        cancel();
        this.#underWay.delete(lose);
      };
      const giveUp = () => {
        end();
        reject(new BackendTimeout('no answer in time'));
      };
      const lose = () => {
        end();
        lost = true;
        reject(new BackendLost('the connection was lost'));
      };
      let lost = false;
      this.#underWay.add(lose);
      const cancel = this.clock.after(Math.max(0, deadline - this.clock.monotonic()), giveUp);
      signal?.addEventListener('abort', giveUp);
      this.clock.after(there, () => {
        if (lost) return;
        const answer = this.#answer(asked, c2s as unknown as Record<string, unknown>);
        if (this.silent) return;
        this.clock.after(back, () => {
          if (over) return;
          end();
          resolve(answer);
        });
      });
    });
  }

  requestBytes(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array());
  }

  #answer(asked: ProtocolOperation, c2s: Record<string, unknown>): ResponseMessage {
    const protoId = asked.protoId ?? 0;
    const at = this.clock.monotonic();
    this.arrivals.push({ protoId, at, c2s });
    const refusal = this.says.get(protoId)?.(c2s) ?? this.#tooOften(protoId, c2s, at) ?? this.#refusal(protoId, c2s, at);
    if (refusal !== undefined)
      return create(asked.messages.ResponseSchema, { retType: -1, retMsg: refusal } as Record<string, unknown>) as ResponseMessage;
    const s2c = create(asked.messages.S2CSchema, this.#payload(protoId, c2s, at));
    return create(asked.messages.ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
  }

  #tooOften(protoId: number, c2s: Record<string, unknown>, at: number): string | undefined {
    const limit = frequencyLimitOf(protoId);
    if (limit === undefined || limit.counts?.(c2s as unknown as Message) === false) return undefined;
    const key = frequencyBudget(limit, protoId, c2s as unknown as Message);
    const log = this.#logs.get(key) ?? [];
    this.#logs.set(key, log);
    const first = log.at(-limit.calls);
    const close = limit.spacingMs !== undefined && at - (log.at(-1) ?? -1e9) < limit.spacingMs;
    log.push(at);
    if (!close && (first === undefined || at - first > FREQUENCY_WINDOW_MS)) return undefined;
    this.broken.push(`${key} too often at ${at}`);
    return `${asked(protoId)}频率太高，请求失败，每30秒最多${limit.calls}次。`;
  }

  #refusal(protoId: number, c2s: Record<string, unknown>, at: number): string | undefined {
    const named = ((c2s.securityList as Named[] | undefined) ?? [c2s.security as Named]).filter((each) => each !== undefined);
    const symbols = named.map((each) => symbolOf(each) ?? '');
    if (symbols.length > (sizeLimitOf(protoId, 'securityList') ?? SYMBOLS_MAX)) {
      this.broken.push(`${protoId} with ${symbols.length} symbols`);
      return `too many symbols: ${symbols.length}`;
    }
    const missing = symbols.find((symbol) => this.unknown.has(symbol));
    if (missing !== undefined) return `未知股票 ${missing}`;
    if (protoId === 3001) return this.#subscription(symbols, c2s, at);
    if (protoId === 3002) {
      const bare = keysOf(symbols, c2s).find((key) => !this.units.has(key));
      if (bare !== undefined) return `${bare} is not subscribed to: subscribe first`;
      for (const key of keysOf(symbols, c2s)) this.pushed.set(key, c2s.rehabTypeList as number[]);
      return undefined;
    }
    const type = neededSubscriptions(protoId, c2s as unknown as Message)[0]?.subType;
    if (type === undefined) return undefined;
    const bare = symbols.find((symbol) => !this.units.has(`${symbol} ${type}`));
    if (bare === undefined) return undefined;
    this.broken.push(`${protoId} of ${bare} unsubscribed`);
    return `请求获取实时数据接口前，请先订阅${bare}`;
  }

  #subscription(symbols: readonly string[], c2s: Record<string, unknown>, at: number): string | undefined {
    const keys = keysOf(symbols, c2s);
    if (c2s.isSubOrUnSub === true) {
      const added = keys.filter((key) => !this.units.has(key));
      if (this.units.size + this.others + added.length > this.quota) {
        this.broken.push(`quota at ${at}`);
        return '订阅额度不足，订阅失败，请先反订阅';
      }
      for (const key of added) this.units.set(key, at);
      if (c2s.isRegOrUnRegPush === true) for (const key of keys) this.pushed.set(key, c2s.regPushRehabTypeList as number[]);
      return undefined;
    }
    const young = keys.find((key) => at - (this.units.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS);
    if (young !== undefined) {
      this.broken.push(`${young} unsubscribed too soon`);
      return `${young} 订阅时间过短，至少需要订阅1分钟`;
    }
    for (const key of keys) {
      this.units.delete(key);
      this.pushed.delete(key);
    }
    return undefined;
  }

  #payload(protoId: number, c2s: Record<string, unknown>, at: number): Record<string, unknown> {
    const security = c2s.security as Named | undefined;
    const type = neededSubscriptions(protoId, c2s as unknown as Message)[0]?.subType;
    const isKnown = (each: Named) =>
      type === undefined || at - (this.units.get(`${symbolOf(each)} ${type}`) ?? at) >= (this.#wishes.firstDataMs ?? 0);
    const list = lists[protoId];
    if (list !== undefined) {
      const items = (c2s.securityList as Named[]).filter(isKnown).map((each) => itemOf(protoId, each));
      return { [list]: items };
    }
    switch (protoId) {
      case 3003: {
        const byType = new Map<number, Named[]>();
        for (const key of this.units.keys()) {
          const [symbol = '', subType = ''] = key.split(' ');
          byType.set(Number(subType), [...(byType.get(Number(subType)) ?? []), securityOf(symbol)]);
        }
        const subInfoList = [...byType].map(([subType, securityList]) => ({ subType, securityList }));
        const used = this.units.size + this.others;
        return {
          connSubInfoList: [{ subInfoList, usedQuota: this.units.size, isOwnConnData: true }],
          totalUsedQuota: used,
          remainQuota: Math.max(0, this.quota - used),
        };
      }
      case 3006:
        return { security, klList: security !== undefined && isKnown(security) ? [{ time: 't', isBlank: false }] : [] };
      case 3012:
        return {
          security,
          orderBookAskList: security !== undefined && isKnown(security) ? [{ price: 1, volume: 1n, orederCount: 1 }] : [],
        };
      default:
        return 'header' in c2s && c2s.header !== undefined ? { header: c2s.header } : {};
    }
  }
}

function asked(protoId: number): string {
  return `${protoId} `;
}

function keysOf(symbols: readonly string[], c2s: Record<string, unknown>): string[] {
  return symbols.flatMap((symbol) => (c2s.subTypeList as number[]).map((type) => `${symbol} ${type}`));
}

function securityOf(symbol: string): Named {
  const dot = symbol.indexOf('.');
  return { market: symbol.slice(0, dot) === 'HK' ? 1 : 11, code: symbol.slice(dot + 1) };
}

const prices = {
  priceSpread: 1,
  updateTime: '',
  highPrice: 1,
  openPrice: 1,
  lowPrice: 1,
  lastClosePrice: 1,
  curPrice: 1,
  volume: 1n,
  turnover: 1,
  turnoverRate: 1,
};

function itemOf(protoId: number, security: Named): Record<string, unknown> {
  switch (protoId) {
    case 3202:
      return { basic: { security, id: 1n, lotSize: 100, secType: 3, name: security.code, listTime: '' } };
    case 3203:
      return { basic: { security, type: 3, isSuspend: false, listTime: '', lotSize: 100, ...prices } };
    case 3004:
      return { security, isSuspended: false, listTime: '', amplitude: 0, ...prices };
    default:
      return { security };
  }
}

/** A clock that is moved from one thing that falls due to the next, so that whoever waits for a promise goes on in between. */
export class SteppingClock extends ManualClock {
  readonly #due = new Set<{ readonly at: number }>();

  override after(ms: number, action: () => void): () => void {
    const due = { at: this.monotonic() + ms };
    this.#due.add(due);
    const cancel = super.after(ms, () => {
      this.#due.delete(due);
      action();
    });
    return () => {
      this.#due.delete(due);
      cancel();
    };
  }

  /** Lets time pass; `look` is called after each step. */
  async pass(ms: number, look: () => void = () => undefined): Promise<void> {
    const end = this.monotonic() + ms;
    for (;;) {
      await settle();
      let next = end;
      for (const { at } of this.#due) next = Math.min(next, at);
      const wait = Math.max(0, next - this.monotonic());
      if (this.monotonic() >= end) return;
      this.advance(wait);
      look();
    }
  }
}

/** Promises that can settle without time do. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
