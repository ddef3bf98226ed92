import { parseSymbol } from '@svc-gateway/contract/markets';
import { quoted } from '@svc-gateway/contract/shown';
import type { PushEvent, QuotePush, QuoteStream } from '@svc-gateway/gateway/backend';
import { streamKey } from '@svc-gateway/gateway/push';
import type { MarketEvent } from '@svc-gateway/simulator/market/market';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { adjustmentOf } from '@svc-gateway/simulator/view/bars';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { allOf, locate } from '@svc-gateway/simulator/view/locate';
import { subTypesOf } from '@svc-gateway/simulator/view/sub-types';
import type { Feed } from './feed.js';
import { createFeed } from './feeds.js';

interface Running {
  readonly stream: QuoteStream;
  readonly listing: Listing;
  readonly feed: Feed;
  /** Events that wait for the first of them to be prepared; undefined where none does. */
  waiting: MarketEvent[] | undefined;
}

/** The running quote streams: turns what happens in the market into their pushes, in the order in which it happens. */
export class Streams {
  readonly #running = new Map<string, Running>();
  /** By the symbol of their instrument, so that an event costs what hangs on it. */
  readonly #bySymbol = new Map<string, Set<Running>>();
  #stopListening: (() => void) | undefined;

  constructor(
    private readonly facts: Facts<'world' | 'companies' | 'market' | 'listings' | 'quoteBoard'>,
    private readonly emit: (event: PushEvent) => void,
  ) {}

  start(): void {
    this.#stopListening ??= this.facts.market.onEvent((event) => this.#onEvent(event));
  }

  stop(): void {
    for (const { stream } of [...this.#running.values()]) this.#end(stream);
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  /** Starts all of the streams, or none and says which cannot be. One that runs already goes on. */
  subscribe(streams: readonly QuoteStream[]): Refusal | undefined {
    const fresh: Running[] = [];
    const unknown: Refusal[] = [];
    for (const stream of streams) {
      const listing = this.#locate(stream.symbol);
      if (listing instanceof Refusal) {
        unknown.push(listing);
        continue;
      }
      const adjustment = adjustmentOf(stream.rehabType);
      if (adjustment instanceof Refusal) return adjustment;
      const feed = createFeed(this.facts, listing, stream);
      if (feed instanceof Refusal) return feed;
      fresh.push({ stream, listing, feed, waiting: undefined });
    }
    if (unknown.length > 0) return allOf(unknown);
    for (const running of fresh) this.#begin(running);
    return undefined;
  }

  /** Streams whose symbol exists but does not serve their type. */
  unserved(streams: readonly QuoteStream[]): readonly QuoteStream[] {
    return streams.filter(({ symbol, subType }) => {
      const listing = this.#locate(symbol);
      return !(listing instanceof Refusal) && !subTypesOf(listing).includes(subType);
    });
  }

  unsubscribe(streams: readonly QuoteStream[]): void {
    for (const stream of streams) this.#end(stream);
  }

  /** The first push of a stream, running or not. */
  current(stream: QuoteStream): QuotePush | undefined {
    const running = this.#running.get(streamKey(stream)) ?? this.#idle(stream);
    const message = running?.feed.current();
    return running === undefined || message === undefined ? undefined : pushOf(running, message);
  }

  #idle(stream: QuoteStream): Running | undefined {
    const listing = this.#locate(stream.symbol);
    if (listing instanceof Refusal) return undefined;
    const feed = createFeed(this.facts, listing, stream);
    return feed instanceof Refusal ? undefined : { stream, listing, feed, waiting: undefined };
  }

  #locate(symbol: string): Listing | Refusal {
    const parsed = parseSymbol(symbol);
    if (parsed === undefined) return new Refusal(`${quoted(symbol)} is not a symbol: expected MARKET.CODE`, 'broker.unknown_code');
    return locate(this.facts, { market: parsed.market.number, code: parsed.code });
  }

  #begin(running: Running): void {
    const key = streamKey(running.stream);
    if (this.#running.has(key)) return;
    const { instrument } = running.listing;
    this.#running.set(key, running);
    const siblings = this.#bySymbol.get(instrument.symbol);
    if (siblings === undefined) {
      this.#bySymbol.set(instrument.symbol, new Set([running]));
      this.facts.market.watch(instrument);
    } else siblings.add(running);
  }

  #end(stream: QuoteStream): void {
    const key = streamKey(stream);
    const running = this.#running.get(key);
    if (running === undefined) return;
    const { instrument } = running.listing;
    this.#running.delete(key);
    const siblings = this.#bySymbol.get(instrument.symbol);
    siblings?.delete(running);
    if (siblings?.size === 0) {
      this.#bySymbol.delete(instrument.symbol);
      this.facts.market.unwatch(instrument);
    }
  }

  #onEvent(event: MarketEvent): void {
    const streams = this.#bySymbol.get(event.instrument.symbol);
    if (streams === undefined) return;
    // A copy: a listener may subscribe or unsubscribe.
    for (const running of [...streams]) {
      if (running.feed.on === event.kind && streams.has(running)) this.#tell(running, event);
    }
  }

  /** At once, or in its turn: what came while an earlier event had work to do waits behind it. */
  #tell(running: Running, event: MarketEvent): void {
    if (running.waiting !== undefined) {
      running.waiting.push(event);
      return;
    }
    const preparing = running.feed.prepare?.(event);
    if (preparing === undefined) {
      this.#push(running, event);
      return;
    }
    const waiting = [event];
    running.waiting = waiting;
    void preparing.then(() => {
      running.waiting = undefined;
      for (const [index, one] of waiting.entries()) {
        if (this.#running.get(streamKey(running.stream)) !== running) return;
        // Only the first push was prepared.
        if (index === 0) this.#push(running, one);
        else this.#tell(running, one);
      }
    });
  }

  #push(running: Running, event: MarketEvent): void {
    const message = running.feed.next(event);
    if (message !== undefined) this.emit(pushOf(running, message));
  }
}

function pushOf({ stream, listing, feed }: Running, message: QuotePush['message']): QuotePush {
  return { type: 'quote', protoId: feed.protoId, stream, secKey: listing.secKey, message };
}
