export { latestNews } from './latest-news.js';
export { stockNews } from './stock-news.js';
export { watchlistAnnouncement, watchlistNews, watchlistRating } from './watchlist-news.js';
