import { create } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/stock_news_pb';
import { Refusal } from '../../refusal.js';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import type { Story } from '../../view/news.js';
import { tellerOf } from '../../view/news-wire.js';
import { given, known } from '../../view/optional-fields.js';
import { membersOf } from '../../view/plates.js';
import { locateStock } from '../../view/stock-ids.js';
import type { Instrument } from '../../world/instrument.js';
import { kinds } from '../../world/kinds.js';
import { newsInfo } from './news-info.js';
import { checkPageSize, olderMark, olderThan } from './pages.js';

type Used = 'clock' | 'world' | 'companies' | 'listings';

const SECURITY = 1;
const PLATE = 2;
const DAY_MS = 86_400_000;
/** How far back the news of a stock goes, and that of a plate, which is of many. */
export const KEPT_MS = 5 * 366 * DAY_MS;
const PLATE_KEPT_MS = 92 * DAY_MS;
const IDS_MAX = 200;

/** svc.stock_news: a page of what became known of a company, or of a plate's members. The scene, the business and the track of a caller change nothing. */
export const stockNews: Answer<Used, C2S, S2C> = (facts, request) => {
  const refused = checkVersion(request) ?? checkPageSize(request) ?? checkRange(request);
  if (refused !== undefined) return refused;
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
  return answer(facts, request, listing);
};

function answer(facts: Facts<Used>, request: C2S, listing: Listing): S2C | Refusal {
  const instruments = subjectsOf(facts, listing, request.idType);
  if (instruments instanceof Refusal) return instruments;
  const now = facts.clock.now();
  const mark = given(C2SSchema, request, 'seqMark');
  const since = now - (request.idType === PLATE ? PLATE_KEPT_MS : KEPT_MS);
  // No item has audio, so audio-only requests find nothing.
  const teller = tellerOf(facts, request.audioOnly ? [] : instruments);
  const page = olderThan(teller, { mark, now, since }, { count: request.pageSize, takes: filterOf(request) });
  return create(S2CSchema, {
    retCode: BACKEND_SUCCESS,
    newsList: page.items.map((story) => newsInfo(facts, story, request.translate)),
    ...known({ seqMark: olderMark(page) }),
  });
}

function subjectsOf(facts: Facts<Used>, listing: Listing, idType: number): readonly Instrument[] | Refusal {
  const { instrument } = listing;
  if (idType === SECURITY) return [instrument];
  if (idType !== PLATE) return new Refusal(`id_type ${idType}: expected ${SECURITY} (security) or ${PLATE} (plate)`, 'broker.value');
  if (instrument.kind !== 'plate')
    return new Refusal(`id_type ${PLATE}: ${instrument.symbol} is ${kinds[instrument.kind].noun}, expected a plate`);
  return membersOf(facts, instrument.plate).map((member) => member.instrument);
}

function checkRange(request: C2S): Refusal | undefined {
  const [from, to] = [given(C2SSchema, request, 'seqFrom'), given(C2SSchema, request, 'seqTo')];
  if (from !== undefined && to !== undefined && from > to)
    return new Refusal(`seq_from ${from}: expected at most seq_to, which is ${to}`, 'broker.value');
  return request.dedupIds.length > IDS_MAX
    ? new Refusal(`dedup_ids: ${request.dedupIds.length} given, at most ${IDS_MAX} are accepted`, 'broker.value')
    : undefined;
}

function filterOf(request: C2S): (story: Story) => boolean {
  const [from, to] = [given(C2SSchema, request, 'seqFrom') ?? 0n, given(C2SSchema, request, 'seqTo')];
  const known = new Set(request.dedupIds);
  const { source } = request;
  return (story) =>
    story.seq >= from && (to === undefined || story.seq <= to) && !known.has(story.newsId) && (source === '' || story.source === source);
}
