import type { news as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { latestNews } from './latest-news.js';
import { stockNews } from './stock-news.js';
import { watchlistAnnouncement } from './watchlist-announcement.js';
import { watchlistNews } from './watchlist-news.js';
import { watchlistRating } from './watchlist-rating.js';

export const news = {
  latestNews,
  stockNews,
  watchlistAnnouncement,
  watchlistNews,
  watchlistRating,
} satisfies AnswersTo<typeof declared>;
