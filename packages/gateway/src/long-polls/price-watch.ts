import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber, formatDecimal } from '@svc-gateway/contract/decimal';
import { beyondQuotes } from '@svc-gateway/contract/doubtful-print';
import { subType } from '@svc-gateway/contract/enums';
import type { BasicQot, Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema as QuoteC2S } from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import { C2SSchema as BookC2S } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import type { Response as QuoteUpdate } from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import type { Response as BookUpdate } from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import { quote } from '@svc-gateway/contract/operations';
import { shown } from '@svc-gateway/contract/shown';
import type { QuotePush, QuoteStream, ResponseMessage, TradePush } from '../backend.js';
import { payloadOf } from '../responses.js';
import type { Seen, Verdict, Watch } from './watch.js';

/** svc.wait_for.C2S.figure. */
export const figures = { last: 1, bid: 2, ask: 3 } as const;
/** svc.wait_for.C2S.relation. */
const relations = { atOrAbove: 1, atOrBelow: 2, crosses: 3 } as const;

const relationTexts: ReadonlyMap<number, string> = new Map([
  [relations.atOrAbove, 'at or above'],
  [relations.atOrBelow, 'at or below'],
  [relations.crosses, 'crossing'],
]);

const subTypes = new Map(subType.members.map(({ name, public: number }) => [name, number]));

export interface PriceGoal {
  readonly symbol: string;
  readonly security: Security;
  readonly figure: number;
  readonly relation: number;
  readonly price: Decimal;
}

/** Prices of one moment; undefined where there is none. */
interface Prices {
  readonly last?: number;
  readonly bid?: number;
  readonly ask?: number;
}

/** Waits for a security's last price, best bid or best ask. Prices are compared as the decimals that they spell. */
export class PriceWatch implements Watch {
  readonly goal: string;
  readonly stream: QuoteStream;
  readonly question;
  readonly quotes;
  readonly asksAgain = false;
  readonly #goal: PriceGoal;
  #prices: Prices = {};
  #volume: bigint | undefined;
  /** Smallest change of the price, as far as it is told; 0 where it is not. */
  #step: Decimal = 0n;
  /** The side of the value on which the price was first seen, off the value itself. */
  #side: -1 | 1 | undefined;

  constructor(goal: PriceGoal) {
    const { symbol, security, figure, relation, price } = goal;
    this.#goal = goal;
    const ofLast = figure === figures.last;
    const name = ofLast ? 'last price' : figure === figures.bid ? 'bid' : 'ask';
    this.goal = `${shown(symbol)}: ${name} ${relationTexts.get(relation)} ${formatDecimal(price)}`;
    this.stream = { symbol, subType: subTypes.get(ofLast ? 'Basic' : 'OrderBook') ?? 0, rehabType: 0, extendedTime: false };
    const book = { operation: quote.getOrderBook, request: create(BookC2S, { security, num: 1 }) };
    this.question = ofLast ? { operation: quote.getQuote, request: create(QuoteC2S, { securityList: [security] }) } : book;
    if (ofLast) this.quotes = book;
  }

  isDoubtful(quotes: ResponseMessage): boolean {
    const price = this.#watched();
    const { bid, ask } = topOf(payloadOf(quote.getOrderBook, quotes));
    const quoted = { bid: bid === undefined ? bid : decimalFromNumber(bid), ask: ask === undefined ? ask : decimalFromNumber(ask) };
    return price !== undefined && beyondQuotes(price, quoted, this.#step) !== 0;
  }

  take(response: ResponseMessage): Verdict {
    if (this.#goal.figure !== figures.last) return this.#judge(topOf(payloadOf(quote.getOrderBook, response)));
    return this.#take(payloadOf(quote.getQuote, response)?.basicQotList[0]);
  }

  hear({ message, type }: QuotePush | TradePush): Verdict {
    if (type !== 'quote') return 'open';
    if (this.#goal.figure !== figures.last) return this.#judge(topOf((message as unknown as BookUpdate).s2c));
    return this.#take((message as unknown as QuoteUpdate).s2c?.basicQotList[0]);
  }

  /** A server may have nothing to say of what was just subscribed to, and a quote that says the same again is no second trade. */
  #take(basic: BasicQot | undefined): Verdict {
    if (basic === undefined || (basic.volume === this.#volume && basic.curPrice === this.#prices.last)) return 'open';
    this.#volume = basic.volume;
    this.#step = decimalFromNumber(basic.priceSpread) ?? 0n;
    return this.#judge(lastOf(basic));
  }

  seen(): Seen {
    const { last, bid, ask } = this.#prices;
    return {
      ...(last === undefined ? {} : { lastPrice: last }),
      ...(bid === undefined ? {} : { bidPrice: bid }),
      ...(ask === undefined ? {} : { askPrice: ask }),
    };
  }

  status(): string | undefined {
    const price = this.#watched();
    return price === undefined ? undefined : formatDecimal(price);
  }

  sight(): undefined {
    return undefined;
  }

  #watched(): Decimal | undefined {
    const { figure } = this.#goal;
    const { last, bid, ask } = this.#prices;
    const price = figure === figures.last ? last : figure === figures.bid ? bid : ask;
    return price === undefined ? undefined : decimalFromNumber(price);
  }

  #judge(prices: Prices): Verdict {
    this.#prices = prices;
    const price = this.#watched();
    if (price === undefined) return 'open';
    const { relation, price: goal } = this.#goal;
    if (relation === relations.atOrAbove) return price >= goal ? 'met' : 'open';
    if (relation === relations.atOrBelow) return price <= goal ? 'met' : 'open';
    if (this.#side === undefined) {
      if (price !== goal) this.#side = price < goal ? -1 : 1;
      return 'open';
    }
    return (this.#side < 0 ? price >= goal : price <= goal) ? 'met' : 'open';
  }
}

/** 0 stands for a security that has not traded yet. */
function lastOf({ curPrice }: { readonly curPrice: number }): Prices {
  return curPrice === 0 ? {} : { last: curPrice };
}

interface Level {
  readonly price: number;
}

function topOf(book: { readonly orderBookBidList: readonly Level[]; readonly orderBookAskList: readonly Level[] } | undefined): Prices {
  const bid = book?.orderBookBidList[0]?.price;
  const ask = book?.orderBookAskList[0]?.price;
  return { ...(bid === undefined ? {} : { bid }), ...(ask === undefined ? {} : { ask }) };
}
