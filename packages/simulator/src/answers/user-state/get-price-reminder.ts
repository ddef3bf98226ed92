import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  PriceReminderItemSchema,
  PriceReminderSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetPriceReminder_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateTerms } from '../../view/locate.js';

const MAINLAND = ['SH', 'SZ'];

/** Qot_GetPriceReminder: of a security, or else of a market; Shanghai and Shenzhen count as one. */
export const getPriceReminder: Answer<'listings' | 'userState', C2S, S2C> = (facts, { security, market }) => {
  const { reminders } = facts.userState;
  const wanted = security === undefined ? ofMarket() : locateTerms(facts, security);
  if (wanted instanceof Refusal) return wanted;
  const symbols = Array.isArray(wanted) ? wanted : 'instrument' in wanted ? [wanted.instrument.symbol] : [];
  const payload = create(S2CSchema);
  payload.priceReminderList = symbols.flatMap((symbol: string) => {
    const listing = facts.listings.named(symbol);
    const own = reminders.of(symbol);
    if (listing === undefined || own.length === 0) return [];
    const itemList = own.map(({ key, type, value, note, freq, enabled, sessions }) =>
      create(PriceReminderItemSchema, { key, type, value, note, freq, isEnable: enabled, reminderSessionList: [...sessions] }),
    );
    return [create(PriceReminderSchema, { security: listing.security, name: listing.instrument.name, itemList })];
  });
  return facts.userState.whenDurable(payload);

  function ofMarket(): readonly string[] | Refusal {
    if (market === 0) return missing(['security'], 'one of security, market is required');
    const named = quoteMarketNumbered(market);
    if (named === undefined) return facts.listings.unknown({ market, code: '' });
    const names = MAINLAND.includes(named.name) ? MAINLAND : [named.name];
    return reminders.symbols().filter((symbol) => names.includes(symbol.slice(0, symbol.indexOf('.'))));
  }
};
