import type { extension as declared } from '@svc-gateway/contract/operations';
import { missing, Refusal } from '../../refusal.js';
import { storyNamed } from '../../view/news.js';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';

const UNKNOWN_ITEM = 1;
const LIST = 0;
const ITEM_PAGE = 1;

/** svc.news_translation: an item as it was written, in English, or in simplified Chinese. The simulated press prints neither pictures nor videos. */
export const newsTranslation: AnswerTo<typeof declared.newsTranslation> = versioned((facts, request) => {
  const { newsId, isTranslate, listType } = request;
  if (newsId === '') return missing(['news_id'], 'the id of an item');
  if (listType !== LIST && listType !== ITEM_PAGE)
    return new Refusal(`list_type ${listType}: expected ${LIST} (a list) or ${ITEM_PAGE} (the item)`, 'broker.value');
  const story = storyNamed(facts, newsId);
  if (story === undefined) return { backendCode: UNKNOWN_ITEM };
  const { title, text } = isTranslate ? story.translated() : story;
  return {
    backendCode: BACKEND_SUCCESS,
    singleNewsTranslateInfo: {
      title,
      abstract: listType === LIST ? firstSentence(text) : text,
      source: story.source,
      interactionTag: story.topic,
    },
  };
});

/** First sentence of a text, short enough for a list. */
function firstSentence(text: string): string {
  return /^.*?(?:[.!?](?=\s|$)|。)/u.exec(text)?.[0] ?? text;
}
