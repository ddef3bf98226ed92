import type { extension as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { locate } from '../../view/locate.js';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import { isIssuedByCompany } from '../../world/kinds.js';
import type { AnswerTo } from '../table.js';

/** svc.related_stocks: the other listings of an issuer that are listed today, home first. What no company issued has none. */
export const relatedStocks: AnswerTo<typeof declared.relatedStocks> = versioned(({ world, companies, listings }, request) => {
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
  return { backendRetCode: BACKEND_SUCCESS, relatedStockInfo };
});
