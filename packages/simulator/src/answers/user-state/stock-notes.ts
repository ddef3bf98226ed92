import type { userState as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { locateAllTerms, locateTerms } from '../../view/locate.js';
import type { AnswerTo } from '../table.js';

const SECURITIES_MAX = 400;

/** svc.GetStockNote: of the securities named, or of all, the newest first. */
export const getStockNote: AnswerTo<typeof declared.getStockNote> = (facts, { securityList }) => {
  const wanted = securityList.length === 0 ? undefined : locateAllTerms(facts, securityList, SECURITIES_MAX);
  if (wanted instanceof Refusal) return wanted;
  const symbols = wanted === undefined ? undefined : new Set(wanted.map(({ instrument }) => instrument.symbol));
  const noteList = facts.userState.notes.all().flatMap(({ symbol, text, updatedAt }) => {
    const listing = symbols?.has(symbol) === false ? undefined : facts.listings.named(symbol);
    if (listing === undefined) return [];
    const { security, instrument } = listing;
    return [{ security, name: instrument.name, note: text, updateTime: BigInt(updatedAt) }];
  });
  return facts.userState.whenDurable({ noteList });
};

/** svc.SetStockNote: in place of the note before; an empty text removes it. */
export const setStockNote: AnswerTo<typeof declared.setStockNote> = async (facts, { security, note }) => {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  const updatedAt = facts.clock.now();
  const written = facts.userState.notes.put({ symbol: listing.instrument.symbol, text: note, updatedAt });
  if (written instanceof Refusal) return written;
  await written;
  return { updateTime: note === '' ? 0n : BigInt(updatedAt) };
};
