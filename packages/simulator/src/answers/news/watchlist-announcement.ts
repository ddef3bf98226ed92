import { create } from '@bufbuild/protobuf';
import { noticeType } from '@svc-gateway/contract/extension-enums';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/watchlist_announcement_pb';
import { Refusal } from '../../refusal.js';
import { checkChoice } from '../../view/choices.js';
import { BACKEND_SUCCESS } from '../../view/extension-version.js';
import type { Answer } from '../../view/facts.js';
import { noticeTypes, type Story } from '../../view/news.js';
import { tellerOf } from '../../view/news-wire.js';
import { given, known } from '../../view/optional-fields.js';
import { newsInfo } from './news-info.js';
import { olderMark, olderThan } from './pages.js';
import { KEPT_MS } from './stock-news.js';
import { watchedStocks } from './watched.js';

type Used = 'clock' | 'world' | 'companies' | 'listings';

const ALL = 0;

/** svc.watchlist_announcement: what companies and exchanges announced, of the types asked for. */
export const watchlistAnnouncement: Answer<Used, C2S, S2C> = (facts, request) => {
  const instruments = watchedStocks(facts, request);
  if (instruments instanceof Refusal) return instruments;
  const refused = checkTypes(request.noticeTypes);
  if (refused !== undefined) return refused;
  const now = facts.clock.now();
  const wanted = new Set(request.noticeTypes);
  const isAll = wanted.size === 0 || wanted.has(ALL);
  const takes = ({ fact }: Story) => {
    const type = fact === undefined ? undefined : noticeTypes[fact.kind];
    return type !== undefined && (isAll || wanted.has(type));
  };
  const mark = given(C2SSchema, request, 'seqMark');
  const page = olderThan(tellerOf(facts, instruments), { mark, now, since: now - KEPT_MS }, { count: request.pageSize, takes });
  return create(S2CSchema, {
    retCode: BACKEND_SUCCESS,
    announcementList: page.items.map((story) => newsInfo(facts, story)),
    ...known({ seqMark: olderMark(page) }),
  });
};

function checkTypes(types: readonly number[]): Refusal | undefined {
  for (const type of types) {
    const unknown = checkChoice('notice_types', type, noticeType);
    if (unknown !== undefined) return unknown;
  }
  return types.includes(ALL) && types.length > 1 ? new Refusal('notice_types: 0 (all) stands alone; leave the others out') : undefined;
}
