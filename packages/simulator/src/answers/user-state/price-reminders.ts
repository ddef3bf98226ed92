import { create } from '@bufbuild/protobuf';
import { decimalFromNumber, decimalToNumber } from '@svc-gateway/contract/decimal';
import { listAccepted, priceReminderFrequency, priceReminderSession, priceReminderType } from '@svc-gateway/contract/enums';
import { type C2S, S2CSchema, SetPriceReminderOp } from '@svc-gateway/contract/generated/Qot_SetPriceReminder_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { userState as declared } from '@svc-gateway/contract/operations';
import { missing, Refusal } from '../../refusal.js';
import type { PriceReminder } from '../../user-state/index.js';
import type { Listing } from '../../view/listings.js';
import { locateTerms, ofSecurity } from '../../view/locate.js';
import { hasFigure, keptValue, reminderKinds } from '../../view/reminder-figures.js';
import type { AnswerTo } from '../table.js';

const MAINLAND = ['SH', 'SZ'];

/** Qot_GetPriceReminder: of a security, or else of a market; Shanghai and Shenzhen count as one. */
export const getPriceReminder: AnswerTo<typeof declared.getPriceReminder> = (facts, { security, market }) => {
  const { reminders } = facts.userState;
  const wanted = security === undefined ? ofMarket() : locateTerms(facts, security);
  if (wanted instanceof Refusal) return wanted;
  const symbols = Array.isArray(wanted) ? wanted : 'instrument' in wanted ? [wanted.instrument.symbol] : [];
  const priceReminderList = symbols.flatMap((symbol: string) => {
    const listing = facts.listings.named(symbol);
    const own = reminders.of(symbol);
    if (listing === undefined || own.length === 0) return [];
    const itemList = own.map(({ key, type, value, note, freq, enabled, sessions }) => ({
      key,
      type,
      value,
      note,
      freq,
      isEnable: enabled,
      reminderSessionList: [...sessions],
    }));
    return [{ security: listing.security, name: listing.instrument.name, itemList }];
  });
  return facts.userState.whenDurable({ priceReminderList });

  function ofMarket(): readonly string[] | Refusal {
    if (market === 0) return missing(['security'], 'one of security, market is required');
    const named = quoteMarketNumbered(market);
    if (named === undefined) return facts.listings.unknown({ market, code: '' });
    const names = MAINLAND.includes(named.name) ? MAINLAND : [named.name];
    return reminders.symbols().filter((symbol) => names.includes(symbol.slice(0, symbol.indexOf('.'))));
  }
};

/** Twenty Chinese characters. */
const NOTE_BYTES_MAX = 60;
/** Qot_Common.PriceReminderMarketStatus. The published clients name the US sessions beside it by default, whatever the security. */
const REGULAR_HOURS = 1;

/** Qot_SetPriceReminder: the answer names the reminder that was added or changed; 0 where all were deleted. */
export const setPriceReminder: AnswerTo<typeof declared.setPriceReminder> = ofSecurity(async (facts, listing, request) => {
  const { reminders } = facts.userState;
  const { symbol, lastTradingDay } = listing.instrument;
  switch (request.op) {
    case SetPriceReminderOp.SetPriceReminderOp_Add: {
      if (facts.listings.state(listing) === 'over')
        return new Refusal(`${symbol} was traded for the last time on ${lastTradingDay}: a reminder of it would never come true`);
      const terms = termsOf(listing, request, undefined);
      if (terms instanceof Refusal) return terms;
      const key = await reminders.add({ symbol, ...terms });
      return key instanceof Refusal ? key : { key };
    }
    case SetPriceReminderOp.SetPriceReminderOp_DelAll:
      await reminders.remove(
        symbol,
        reminders.of(symbol).map(({ key }) => key),
      );
      return { key: 0n };
  }
  const known = reminders.get(symbol, request.key);
  if (known === undefined) return new Refusal(`${symbol} has no price reminder ${request.key}`);
  const done = create(S2CSchema, { key: known.key });
  switch (request.op) {
    case SetPriceReminderOp.SetPriceReminderOp_Del:
      await reminders.remove(symbol, [known.key]);
      return done;
    case SetPriceReminderOp.SetPriceReminderOp_Enable:
      // Enabled again, a reminder that has told today may tell again.
      await reminders.put({ ...known, enabled: true, toldOn: '' });
      return done;
    case SetPriceReminderOp.SetPriceReminderOp_Disable:
      await reminders.put({ ...known, enabled: false });
      return done;
    case SetPriceReminderOp.SetPriceReminderOp_Modify: {
      const terms = termsOf(listing, request, known);
      if (terms instanceof Refusal) return terms;
      await reminders.put({ ...known, ...terms, toldOn: '' });
      return done;
    }
    default:
      return new Refusal(`unknown op ${request.op}; accepted: 1 (add) to 6 (delete all)`, 'broker.value');
  }
});

type Terms = Pick<PriceReminder, 'type' | 'value' | 'freq' | 'note' | 'sessions'>;

/** Terms of a request; fields that it omits keep their values in a changed reminder. */
function termsOf(listing: Listing, request: C2S, known: Terms | undefined): Terms | Refusal {
  const given = <F extends 'type' | 'freq' | 'value' | 'note'>(field: F) =>
    Object.hasOwn(request, field) ? request[field] : known?.[field];
  const type = given('type') ?? 0;
  const freq = given('freq') ?? 0;
  const note = given('note') ?? '';
  const sessions = request.reminderSessionList.length > 0 ? request.reminderSessionList : (known?.sessions ?? []);
  const kind = reminderKinds.get(type);
  if (kind === undefined) return new Refusal(`unknown type ${type}; accepted: ${listAccepted(priceReminderType, 'rest')}`, 'broker.value');
  if (!hasFigure(kind, listing)) return new Refusal(`${listing.instrument.symbol} has no order book: no reminder of its ${kind.noun}`);
  if (!has(priceReminderFrequency, freq))
    return new Refusal(`unknown freq ${freq}; accepted: ${listAccepted(priceReminderFrequency, 'rest')}`, 'broker.value');
  const number = given('value');
  const value = decimalFromNumber(number ?? Number.NaN);
  if (value === undefined)
    return new Refusal(`value: expected a number of at most nine decimal places, found ${number ?? 'none'}`, 'broker.value');
  if (value < 0n && kind.unit !== '%')
    return new Refusal(`value: expected 0 or more for a ${kind.noun}, found ${request.value}`, 'broker.value');
  const bytes = Buffer.byteLength(note);
  if (bytes > NOTE_BYTES_MAX)
    return new Refusal(`note: expected at most ${NOTE_BYTES_MAX} bytes (20 Chinese characters), found ${bytes}`, 'broker.value');
  const unknown = sessions.find((session) => !has(priceReminderSession, session));
  if (unknown !== undefined)
    return new Refusal(`unknown session ${unknown}; accepted: ${listAccepted(priceReminderSession, 'rest')}`, 'broker.value');
  const watched = listing.market.name === 'US' ? sessions : sessions.filter((session) => session === REGULAR_HOURS);
  if (watched.length === 0 && sessions.length > 0) {
    return new Refusal(`${listing.instrument.symbol} trades in regular hours alone; accepted sessions: 1 (OPEN)`, 'broker.value');
  }
  return { type, freq, note, value: decimalToNumber(keptValue(kind, listing, value)), sessions: [...new Set(watched)] };
}

function has({ members }: { readonly members: readonly { readonly public: number }[] }, value: number): boolean {
  return members.some((member) => member.public === value);
}
