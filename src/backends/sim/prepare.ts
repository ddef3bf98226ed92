import type { Message } from '@bufbuild/protobuf';
import type { Security } from '../../contract/generated/Qot_Common_pb.js';
import type { Facts } from '../../simulator/view/facts.js';
import type { Listing } from '../../simulator/view/listings.js';

/** How requests for quotes name what they are about. */
interface Named {
  readonly security?: Security;
  readonly securityList?: readonly Security[];
}

type Needed = Facts<'market' | 'listings'>;

/** Before a request is answered: what the first look at an instrument that it names takes long for, in turns. Undefined where there is none. */
export function prepare(facts: Needed, request: Message): Promise<void> | undefined {
  const { security, securityList = [] } = request as Message & Named;
  const named = security === undefined ? securityList : [security];
  return prepareAll(
    facts,
    named.map((one) => facts.listings.find(one)),
  );
}

/** Before streams of symbols begin. */
export function prepareSymbols(facts: Needed, symbols: readonly string[]): Promise<void> | undefined {
  return prepareAll(
    facts,
    symbols.map((symbol) => facts.listings.named(symbol)),
  );
}

function prepareAll({ market }: Needed, listings: readonly (Listing | undefined)[]): Promise<void> | undefined {
  const preparing = listings.flatMap((listing) => (listing && market.prepare(listing.instrument)) ?? []);
  return preparing.length === 0 ? undefined : Promise.all(preparing).then(() => undefined);
}
