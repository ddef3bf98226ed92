import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/related_stocks_pb';
import { Refusal } from '../../refusal.js';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer } from '../../view/facts.js';
import { locate } from '../../view/locate.js';
import { isIssuedByCompany } from '../../world/kinds.js';

/** svc.related_stocks: the other listings of an issuer that are listed today, home first. What no company issued has none. */
export const relatedStocks: Answer<'world' | 'companies' | 'listings', C2S, S2C> = ({ world, companies, listings }, request) => {
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  const listing = locate({ listings }, request.security);
  if (listing instanceof Refusal) return listing;
  const { instrument } = listing;
  const classes = isIssuedByCompany(instrument) ? companies.issuer(instrument).classes : [];
  const own = classes.find((one) => one.instrument === instrument);
  const relatedStockInfo = classes
    .filter((one) => one !== own && world.state(one.instrument) === 'listed')
    .map((other) => {
      const receipt = [other, own].find((one) => one?.depositary);
      return {
        stockId: other.instrument.id,
        name: other.instrument.name,
        security: listings.of(other.instrument).security,
        ...(receipt === undefined ? {} : { adrInfo: { adsBase: 1n, adsConvertion: BigInt(receipt.ordinary) } }),
      };
    });
  return create(S2CSchema, { backendRetCode: BACKEND_SUCCESS, relatedStockInfo });
};
