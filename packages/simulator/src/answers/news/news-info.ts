import { create } from '@bufbuild/protobuf';
import { type NewsInfo, NewsInfoSchema } from '@svc-gateway/contract/generated/svc/news_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { Facts } from '../../view/facts.js';
import { type NewsTopic, newsTopics, noticeTypes, type Story } from '../../view/news.js';
import { known } from '../../view/optional-fields.js';

/** Told in one line as they happen. */
export const flashTopics: ReadonlySet<NewsTopic> = new Set<NewsTopic>(['ratings', 'moves', 'halts', 'economy']);

/** An item as messages have it. Of the company's listings those that are traded now. */
export function newsInfo({ world, listings }: Facts<'world' | 'listings'>, story: Story, isTranslated = false): NewsInfo {
  const { title, text } = isTranslated ? story.translated() : story;
  return create(NewsInfoSchema, {
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
    ...known({ noticeType: story.fact === undefined ? undefined : noticeTypes[story.fact.kind] }),
  });
}
