import type { Message } from '@bufbuild/protobuf';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { QuoteStream } from '@svc-gateway/gateway/backend';
import { inTurns } from '@svc-gateway/simulator/pace';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { periodOf } from '@svc-gateway/simulator/view/bars';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import { klTypeOfSubType, SubType } from '@svc-gateway/simulator/view/sub-types';
import { PUSHED_BARS_MAX } from './running-bars.js';

/** How requests for quotes name what they are about. */
interface Named {
  readonly security?: Security;
  readonly securityList?: readonly Security[];
}

type Needed = Facts<'market' | 'listings'>;

/** Before a request is answered: what the first look at an instrument that it names takes long for, in turns. */
export function prepare({ market, listings }: Needed, request: Message): void | Promise<void> {
  const { security, securityList = [] } = request as Message & Named;
  return inTurns(firstLooks(market, listings, security === undefined ? securityList : [security]));
}

function* firstLooks(market: Needed['market'], listings: Needed['listings'], named: readonly Security[]): Generator<void, void> {
  for (const [index, one] of named.entries()) {
    if (index > 0) yield;
    const listing = listings.find(one);
    if (listing !== undefined) yield* market.prepare(listing.instrument);
  }
}

/** Before streams begin: their symbols, and of plates, whose bars are made of what all members traded, the bars. */
export function prepareStreams(facts: Needed, streams: readonly QuoteStream[]): void | Promise<void> {
  return inTurns(firstPushes(facts, streams));
}

function* firstPushes({ market, listings }: Needed, streams: readonly QuoteStream[]): Generator<void, void> {
  for (const [index, { symbol, subType }] of streams.entries()) {
    if (index > 0) yield;
    const instrument = listings.named(symbol)?.instrument;
    if (instrument === undefined) continue;
    yield* market.prepare(instrument);
    const klType = klTypeOfSubType.get(subType);
    const period = subType === SubType.rt ? ({ unit: 'minute', count: 1 } as const) : klType === undefined ? undefined : periodOf(klType);
    if (period === undefined || period instanceof Refusal) continue;
    yield* market.barsInTurns(instrument, period, { limit: PUSHED_BARS_MAX });
  }
}
