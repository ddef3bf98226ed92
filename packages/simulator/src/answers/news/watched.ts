import { missing, Refusal } from '../../refusal.js';
import { checkVersion } from '../../view/extension-version.js';
import type { Facts } from '../../view/facts.js';
import { locateStock } from '../../view/stock-ids.js';
import type { Instrument } from '../../world/instrument.js';
import { checkPageSize } from './pages.js';

const STOCKS_MAX = 100;

/** The stocks that a request for a watchlist names, each once. It must name some: none is not every stock of the market. */
export function watchedStocks(
  facts: Facts<'world' | 'listings'>,
  request: { readonly stockIds: readonly bigint[]; readonly pageSize: number; readonly extensionVersion: number },
): readonly Instrument[] | Refusal {
  const refused = checkVersion(request) ?? checkPageSize(request);
  if (refused !== undefined) return refused;
  const { stockIds } = request;
  if (stockIds.length === 0) return missing(['stock_ids'], 'at least one stock');
  if (stockIds.length > STOCKS_MAX)
    return new Refusal(`stock_ids: ${stockIds.length} given, at most ${STOCKS_MAX} are accepted`, 'broker.value');
  const found = new Set<Instrument>();
  for (const [index, stockId] of stockIds.entries()) {
    const listing = locateStock(facts, { stockId });
    if (listing instanceof Refusal) return listing.at(`stock_ids[${index}]`);
    found.add(listing.instrument);
  }
  return [...found];
}
