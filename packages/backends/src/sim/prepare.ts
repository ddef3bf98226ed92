import type { Message } from '@bufbuild/protobuf';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { QuoteStream } from '@svc-gateway/gateway/backend';
import type { BarPeriod } from '@svc-gateway/simulator/market';
import { inTurns, Turn } from '@svc-gateway/simulator/pace';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { periodOf } from '@svc-gateway/simulator/view/bars';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { klTypeOfSubType, SubType } from '@svc-gateway/simulator/view/sub-types';
import { PUSHED_BARS_MAX } from './running-bars.js';

/** How requests for quotes name what they are about. */
interface Named {
  readonly security?: Security;
  readonly securityList?: readonly Security[];
}

type Needed = Facts<'market' | 'listings'>;

/** Before a request is answered: what the first look at an instrument that it names takes long for, in turns. Undefined where there is none. */
export function prepare({ market, listings }: Needed, request: Message): Promise<void> | undefined {
  const { security, securityList = [] } = request as Message & Named;
  return prepareAll(market, security === undefined ? securityList : [security], (one) => listings.find(one));
}

/** Before streams begin: their symbols, and of plates, whose bars are made of what all members traded, the bars. */
export function prepareStreams({ market, listings }: Needed, streams: readonly QuoteStream[]): Promise<void> | undefined {
  const preparing = prepareAll(market, streams, ({ symbol }) => listings.named(symbol));
  const ofPlates = streams.flatMap(({ symbol, subType }) => {
    const period = pushedPeriod(subType);
    const instrument = listings.named(symbol)?.instrument;
    return period !== undefined && instrument?.kind === 'plate' ? [{ instrument, period }] : [];
  });
  if (ofPlates.length === 0) return preparing;
  return Promise.resolve(preparing).then(async () => {
    for (const { instrument, period } of ofPlates) await inTurns(market.prepareBars(instrument, period, { limit: PUSHED_BARS_MAX }));
  });
}

/** Period of the bars that a stream pushes. */
function pushedPeriod(subType: number): BarPeriod | undefined {
  const klType = klTypeOfSubType.get(subType);
  const period = klType === undefined ? undefined : periodOf(klType);
  if (period instanceof Refusal) return undefined;
  return subType === SubType.rt ? { unit: 'minute', count: 1 } : period;
}

type Find<T> = (named: T) => Listing | undefined;

function prepareAll<T>(market: Needed['market'], all: readonly T[], find: Find<T>): Promise<void> | undefined {
  const turn = new Turn();
  for (const [index, named] of all.entries()) {
    const rest = index + 1;
    const preparing = prepareOne(market, find(named)) ?? (rest < all.length ? turn.pause() : undefined);
    if (preparing !== undefined) return prepareRest(market, all.slice(rest), find, preparing, turn);
  }
  return undefined;
}

async function prepareRest<T>(
  market: Needed['market'],
  rest: readonly T[],
  find: Find<T>,
  preparing: Promise<void>,
  turn: Turn,
): Promise<void> {
  await preparing;
  for (const named of rest) {
    const next = prepareOne(market, find(named)) ?? turn.pause();
    if (next !== undefined) await next;
  }
}

function prepareOne(market: Needed['market'], listing: Listing | undefined): Promise<void> | undefined {
  return listing && market.prepare(listing.instrument);
}
