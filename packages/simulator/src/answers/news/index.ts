export { latestNews } from './latest-news.js';
export { stockNews } from './stock-news.js';
export { watchlistAnnouncement, watchlistNews } from './watchlist-news.js';
export { watchlistRating } from './watchlist-rating.js';
