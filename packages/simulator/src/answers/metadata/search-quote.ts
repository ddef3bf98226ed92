import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema, SearchQuoteSchema } from '@svc-gateway/contract/generated/Qot_GetSearchQuote_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

const COUNT_DEFAULT = 10;
const COUNT_MAX = 100;

/** Qot_GetSearchQuote: what is listed under a name, a code or its pinyin initials, the best match first. */
export const searchQuote: Answer<'names' | 'listings', C2S, S2C> = ({ names, listings }, request) => {
  const keyword = request.keyword.trim();
  if (keyword === '') return new Refusal('keyword: expected a name or a code, found an empty text', 'broker.value');
  const count = request.maxCount === 0 ? COUNT_DEFAULT : request.maxCount;
  if (count < 1 || count > COUNT_MAX)
    return new Refusal(`max_count: ${count} is out of range, accepted: 1 to ${COUNT_MAX}`, 'broker.value');
  const found = names.search(keyword, count);
  const searchQuoteList = found.map((instrument) => {
    const { security, securityType } = listings.of(instrument);
    return create(SearchQuoteSchema, { market: security.market, code: security.code, name: instrument.name, secType: securityType });
  });
  return create(S2CSchema, { searchQuoteList });
};
