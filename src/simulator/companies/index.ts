import { tradingDaysOf } from '../world/business-days.js';
import type { World } from '../world/index.js';
import { Companies, type LoadedPrices } from './companies.js';

export { Companies, type CompaniesOptions, type LoadedPrices } from './companies.js';
export type { CashDividend, CorporateAction, CorporateActions, RightsIssue, ShareSplit } from './corporate-actions.js';
export type { ShareFigures } from './figures.js';
export type { Statements } from './statements.js';

/** The companies of a world. They keep the exchanges' own calendars, also where its markets are open around the clock. */
export function companiesOf(world: World, seed: string | number, loaded?: (symbol: string) => LoadedPrices | undefined): Companies {
  return new Companies({
    seed,
    find: (symbol) => world.instrument(symbol),
    calendarOf: ({ calendar }) => tradingDaysOf(calendar),
    ...(loaded === undefined ? {} : { loaded }),
  });
}
