import type { metadata as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { AnswerTo } from '../table.js';

const COUNT_DEFAULT = 10;
const COUNT_MAX = 100;

/** Qot_GetSearchQuote: what is listed under a name, a code or its pinyin initials, the best match first. */
export const searchQuote: AnswerTo<typeof declared.searchQuote> = ({ names, listings }, request) => {
  const keyword = request.keyword.trim();
  if (keyword === '') return new Refusal('keyword: expected a name or a code, found an empty text', 'broker.value');
  const count = request.maxCount === 0 ? COUNT_DEFAULT : request.maxCount;
  if (count < 1 || count > COUNT_MAX)
    return new Refusal(`max_count: ${count} is out of range, accepted: 1 to ${COUNT_MAX}`, 'broker.value');
  const found = names.search(keyword, count);
  const searchQuoteList = found.map((instrument) => {
    const { security, securityType } = listings.of(instrument);
    return { market: security.market, code: security.code, name: instrument.name, secType: securityType };
  });
  return { searchQuoteList };
};
