import { create } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { DECIMAL_ONE, type Decimal, decimalFromNumber, divide } from '@svc-gateway/contract/decimal';
import type { S2C as Snapshots } from '@svc-gateway/contract/generated/svc/snapshot_pb';
import { quote } from '@svc-gateway/contract/operations';
import { BackendFailure, type ResponseMessage } from '@svc-gateway/gateway';
import type { RequestOptions, Upstream } from '../connection/upstream.js';

/** Qot_Common.QotMarket of forex display quotes. */
const FOREX = 81;
const USD = 'USD';
/** Each other currency against the dollar, one way or the other. */
const pairs: readonly { readonly code: string; readonly base: string; readonly quoted: string }[] = [
  ...['HKD', 'JPY', 'CNH', 'SGD', 'MYR', 'CAD'].map((quoted) => ({ code: USD + quoted, base: USD, quoted })),
  { code: `AUD${USD}`, base: 'AUD', quoted: USD },
];
/** How old a rate may be that orders are converted by. */
const AGE_MS_MAX = 60_000;
/** Delay before a server without rates is asked again. */
const RETRY_MS = 10_000;

/** Exchange rates from a server's snapshots of forex quotes, all by one request and without a subscription. */
export class ForexRates {
  /** Units of a currency that a dollar is worth. */
  #perDollar: ReadonlyMap<string, Decimal> = new Map();
  /** Time until which the rates hold, of `Clock.monotonic`. */
  #until = 0;

  constructor(
    private readonly upstream: Upstream,
    private readonly clock: Clock,
  ) {}

  /** Units of `to` that one unit of `from` is worth; undefined where the server has no such rate, or is not to be asked now. */
  async rate(from: string, to: string, { deadline }: RequestOptions): Promise<Decimal | undefined> {
    if (this.#until <= this.clock.monotonic()) await this.#ask({ deadline });
    return this.#known(from, to);
  }

  #known(from: string, to: string): Decimal | undefined {
    const [one, other] = [this.#perDollar.get(from), this.#perDollar.get(to)];
    return one === undefined || other === undefined ? undefined : divide(other, one);
  }

  async #ask(options: RequestOptions): Promise<void> {
    const { messages } = quote.getSnapshot;
    const c2s = create(messages.C2SSchema, { securityList: pairs.map(({ code }) => ({ market: FOREX, code })) });
    let answer: (ResponseMessage & { s2c?: Snapshots }) | undefined;
    try {
      answer = await this.upstream.request(quote.getSnapshot, c2s, options);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
    }
    this.#perDollar = perDollarOf(answer?.s2c);
    this.#until = this.clock.monotonic() + (this.#perDollar.size > 1 ? AGE_MS_MAX : RETRY_MS);
  }
}

function perDollarOf(snapshots: Snapshots | undefined): ReadonlyMap<string, Decimal> {
  const perDollar = new Map<string, Decimal>([[USD, DECIMAL_ONE]]);
  for (const { basic } of snapshots?.snapshotList ?? []) {
    const pair = pairs.find(({ code }) => code === basic?.security?.code);
    const price = basic === undefined ? undefined : decimalFromNumber(basic.curPrice);
    if (pair === undefined || price === undefined || price <= 0n) continue;
    if (pair.base === USD) perDollar.set(pair.quoted, price);
    else perDollar.set(pair.base, divide(DECIMAL_ONE, price));
  }
  return perDollar;
}
