import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema, StockNoteSchema } from '@svc-gateway/contract/generated/svc/get_stock_note_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateAllTerms } from '../../view/locate.js';

const SECURITIES_MAX = 400;

/** svc.GetStockNote: of the securities named, or of all, the newest first. */
export const getStockNote: Answer<'listings' | 'userState', C2S, S2C> = (facts, { securityList }) => {
  const wanted = securityList.length === 0 ? undefined : locateAllTerms(facts, securityList, SECURITIES_MAX);
  if (wanted instanceof Refusal) return wanted;
  const symbols = wanted === undefined ? undefined : new Set(wanted.map(({ instrument }) => instrument.symbol));
  const payload = create(S2CSchema);
  payload.noteList = facts.userState.notes.all().flatMap(({ symbol, text, updatedAt }) => {
    const listing = symbols?.has(symbol) === false ? undefined : facts.listings.named(symbol);
    if (listing === undefined) return [];
    const { security, instrument } = listing;
    return [create(StockNoteSchema, { security, name: instrument.name, note: text, updateTime: BigInt(updatedAt) })];
  });
  return facts.userState.whenDurable(payload);
};
