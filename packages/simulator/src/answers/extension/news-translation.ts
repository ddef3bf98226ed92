import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema, SingleNewsTranslateInfoSchema } from '@svc-gateway/contract/generated/svc/news_translation_pb';
import { missing, Refusal } from '../../refusal.js';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer } from '../../view/facts.js';
import { storyNamed } from '../../view/news.js';

const UNKNOWN_ITEM = 1;
const LIST = 0;
const ITEM_PAGE = 1;

/** svc.news_translation: an item as it was written, in English, or in simplified Chinese. The simulated press prints neither pictures nor videos. */
export const newsTranslation: Answer<'clock' | 'world' | 'companies' | 'macro', C2S, S2C> = (facts, request) => {
  const { newsId, isTranslate, listType } = request;
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  if (newsId === '') return missing(['news_id'], 'the id of an item');
  if (listType !== LIST && listType !== ITEM_PAGE)
    return new Refusal(`list_type ${listType}: expected ${LIST} (a list) or ${ITEM_PAGE} (the item)`, 'broker.value');
  const story = storyNamed(facts, newsId);
  if (story === undefined) return create(S2CSchema, { backendCode: UNKNOWN_ITEM });
  const { title, text } = isTranslate ? story.translated() : story;
  return create(S2CSchema, {
    backendCode: BACKEND_SUCCESS,
    singleNewsTranslateInfo: create(SingleNewsTranslateInfoSchema, {
      title,
      abstract: listType === LIST ? firstSentence(text) : text,
      source: story.source,
      interactionTag: story.topic,
    }),
  });
};

/** First sentence of a text, short enough for a list. */
function firstSentence(text: string): string {
  return /^.*?(?:[.!?](?=\s|$)|。)/u.exec(text)?.[0] ?? text;
}
