import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/set_stock_note_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locateTerms } from '../../view/locate.js';

/** svc.SetStockNote: in place of the note before; an empty text removes it. */
export const setStockNote: Answer<'clock' | 'listings' | 'userState', C2S, S2C> = async (facts, { security, note }) => {
  const listing = locateTerms(facts, security);
  if (listing instanceof Refusal) return listing;
  const updatedAt = facts.clock.now();
  const written = facts.userState.notes.put({ symbol: listing.instrument.symbol, text: note, updatedAt });
  if (written instanceof Refusal) return written;
  await written;
  return create(S2CSchema, { updateTime: note === '' ? 0n : BigInt(updatedAt) });
};
