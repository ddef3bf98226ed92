import type { C2S } from '@svc-gateway/contract/generated/svc/stock_news_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { news as declared } from '@svc-gateway/contract/operations';
import { DAY_MS } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateStock } from '../../view/locate.js';
import { given } from '../../view/messages.js';
import { type NewsTopic, newsTopics, noticeTypes, type Story, tellerOf } from '../../view/news.js';
import { membersOf } from '../../view/plates.js';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import type { Instrument } from '../../world/instrument.js';
import { kinds } from '../../world/kinds.js';
import type { AnswerTo } from '../table.js';
import { checkPageSize, olderMark, olderThan } from './pages.js';

type Used = 'clock' | 'world' | 'companies' | 'listings';

const SECURITY = 1;
const PLATE = 2;
/** How far back the news of a stock goes, and that of a plate, which is of many. */
export const KEPT_MS = 5 * 366 * DAY_MS;
const PLATE_KEPT_MS = 92 * DAY_MS;
const IDS_MAX = 200;

/** svc.stock_news: a page of what became known of a company, or of a plate's members. The scene, the business and the track of a caller change nothing. */
export const stockNews: AnswerTo<typeof declared.stockNews> = versioned((facts, request) => {
  const refused = checkPageSize(request) ?? checkRange(request);
  if (refused !== undefined) return refused;
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
  const instruments = subjectsOf(facts, listing, request.idType);
  if (instruments instanceof Refusal) return instruments;
  const now = facts.clock.now();
  const mark = given(request, 'seqMark');
  const since = now - (request.idType === PLATE ? PLATE_KEPT_MS : KEPT_MS);
  // No item has audio, so audio-only requests find nothing.
  const teller = tellerOf(facts, request.audioOnly ? [] : instruments);
  const page = olderThan(teller, { mark, now, since }, { count: request.pageSize, takes: filterOf(request) });
  return {
    retCode: BACKEND_SUCCESS,
    newsList: page.items.map((story) => newsInfo(facts, story, request.translate)),
    seqMark: olderMark(page),
  };
});

function subjectsOf(facts: Facts<Used>, listing: Listing, idType: number): readonly Instrument[] | Refusal {
  const { instrument } = listing;
  if (idType === SECURITY) return [instrument];
  if (idType !== PLATE) return new Refusal(`id_type ${idType}: expected ${SECURITY} (security) or ${PLATE} (plate)`, 'broker.value');
  if (instrument.kind !== 'plate')
    return new Refusal(`id_type ${PLATE}: ${instrument.symbol} is ${kinds[instrument.kind].noun}, expected a plate`);
  return membersOf(facts, instrument.plate).map((member) => member.instrument);
}

function checkRange(request: C2S): Refusal | undefined {
  const [from, to] = [given(request, 'seqFrom'), given(request, 'seqTo')];
  if (from !== undefined && to !== undefined && from > to)
    return new Refusal(`seq_from ${from}: expected at most seq_to, which is ${to}`, 'broker.value');
  return request.dedupIds.length > IDS_MAX
    ? new Refusal(`dedup_ids: ${request.dedupIds.length} given, at most ${IDS_MAX} are accepted`, 'broker.value')
    : undefined;
}

function filterOf(request: C2S): (story: Story) => boolean {
  const [from, to] = [given(request, 'seqFrom') ?? 0n, given(request, 'seqTo')];
  const seen = new Set(request.dedupIds);
  const { source } = request;
  return (story) =>
    story.seq >= from && (to === undefined || story.seq <= to) && !seen.has(story.newsId) && (source === '' || story.source === source);
}

/** Told in one line as they happen. */
export const flashTopics: ReadonlySet<NewsTopic> = new Set<NewsTopic>(['ratings', 'moves', 'halts', 'economy']);

/** An item as messages have it. Of the company's listings those that are traded now. */
export function newsInfo({ world, listings }: Facts<'world' | 'listings'>, story: Story, isTranslated = false) {
  const { title, text } = isTranslated ? story.translated() : story;
  return {
    newsId: story.newsId,
    seq: story.seq,
    title,
    abstract: text,
    source: story.source,
    pubTime: BigInt(story.time / 1000),
    topic: newsTopics[story.topic],
    isFlash: flashTopics.has(story.topic),
    market: quoteMarket(story.market).number,
    stocks: story.about
      .filter((one) => world.state(one) !== 'coming')
      .map((one) => ({ security: listings.of(one).security, stockId: one.id, name: one.name })),
    isTranslated,
    noticeType: story.fact === undefined ? undefined : noticeTypes[story.fact.kind],
  };
}
