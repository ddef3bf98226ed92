import type { Message } from '@bufbuild/protobuf';
import type { Security } from '../../contract/generated/Qot_Common_pb.js';
import { Turn } from '../../simulator/pace.js';
import type { Facts } from '../../simulator/view/facts.js';
import type { Listing } from '../../simulator/view/listings.js';

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

/** Before streams of symbols begin. */
export function prepareSymbols({ market, listings }: Needed, symbols: readonly string[]): Promise<void> | undefined {
  return prepareAll(market, symbols, (symbol) => listings.named(symbol));
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
