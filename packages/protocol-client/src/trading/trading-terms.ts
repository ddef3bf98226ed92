import { create } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type Security, SecurityType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotGetFutureInfo from '@svc-gateway/contract/generated/Qot_GetFutureInfo_pb';
import type { S2C as StaticInfo } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { quote } from '@svc-gateway/contract/operations';
import type { ResponseMessage, TradingTerms } from '@svc-gateway/gateway/backend';
import { BackendFailure } from '@svc-gateway/gateway/backend-failures';
import type { RequestOptions, Upstream } from '../connection/upstream.js';

/** How long terms are taken for granted: a contract's multiplier changes with a corporate action at most. */
const AGE_MS_MAX = 3_600_000;
/** The oldest go first. */
const KEPT_MAX = 10_000;
const SUCCEEDED = 0;
const futureInfo = { name: 'get_future_info', protoId: 3218, messages: QotGetFutureInfo } as const;
/** Types whose lot size in the protocol is the contract's multiplier. */
const contractTypes: ReadonlySet<number> = new Set([SecurityType.SecurityType_Drvt, SecurityType.SecurityType_Future]);
const currencyNames: ReadonlyMap<string, string> = new Map([
  ['CNY', 'CNH'],
  ['RMB', 'CNH'],
]);

interface CachedTerms {
  readonly terms: TradingTerms;
  /** Time until which the terms hold, of `Clock.monotonic`. */
  readonly until: number;
}

/** How securities trade, as a server says by its static information, and remembered for a while. */
export class TradingTermsCache {
  readonly #upstream: Upstream;
  readonly #clock: Clock;
  readonly #kept = new Map<string, CachedTerms>();
  readonly #asked = new Map<string, Promise<TradingTerms | undefined>>();

  constructor(upstream: Upstream, clock: Clock) {
    this.#upstream = upstream;
    this.#clock = clock;
  }

  /** undefined where the server does not know the security, or is not to be asked now. */
  of(security: Security, options: RequestOptions): TradingTerms | undefined | Promise<TradingTerms | undefined> {
    const key = `${security.market} ${security.code}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.until > this.#clock.monotonic()) return kept.terms;
    const before = this.#asked.get(key);
    if (before !== undefined) return before;
    const asked = this.#ask(key, security, { deadline: options.deadline }).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }

  async #ask(key: string, security: Security, options: RequestOptions): Promise<TradingTerms | undefined> {
    try {
      const terms = await this.#read(security, options);
      // Do not cache missing terms: the server may know them in a minute.
      if (terms !== undefined) this.#keep(key, terms);
      return terms;
    } catch (thrown) {
      if (thrown instanceof BackendFailure) return undefined;
      throw thrown;
    }
  }

  async #read(security: Security, options: RequestOptions): Promise<TradingTerms | undefined> {
    const { messages } = quote.getStaticInfo;
    const answer = await this.#upstream.request(quote.getStaticInfo, create(messages.C2SSchema, { securityList: [security] }), options);
    const { s2c } = answer as ResponseMessage & { s2c?: StaticInfo };
    const basic = s2c?.staticInfoList[0]?.basic;
    const market = quoteMarketNumbered(security.market);
    if (basic === undefined || market === undefined) return undefined;
    const isContract = contractTypes.has(basic.secType);
    const multiplier = decimalFromNumber(isContract ? basic.lotSize : 1);
    if (multiplier === undefined || multiplier <= 0n) return undefined;
    const isFuture = basic.secType === SecurityType.SecurityType_Future;
    const currency = (isFuture ? await this.#currencyOfFuture(security, options) : undefined) ?? market.currency;
    return { multiplier, currency };
  }

  /** Futures are often quoted in another currency than their market's. A server that does not say means that. */
  async #currencyOfFuture(security: Security, options: RequestOptions): Promise<string | undefined> {
    const c2s = create(QotGetFutureInfo.C2SSchema, { securityList: [security] });
    const answer = (await this.#upstream.request(futureInfo, c2s, options)) as QotGetFutureInfo.Response;
    const said = answer.retType === SUCCEEDED ? answer.s2c?.futureInfoList[0]?.quoteCurrency : undefined;
    return said === undefined || said === '' ? undefined : (currencyNames.get(said) ?? said);
  }

  #keep(key: string, terms: TradingTerms): void {
    this.#kept.delete(key);
    this.#kept.set(key, { terms, until: this.#clock.monotonic() + AGE_MS_MAX });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
  }
}
