import { Refused, type Rule } from '../rule.js';
import type { Texts } from './texts.js';

/** From here on ids are this project's own. */
const OWN_IDS = 20_001;

/** An upstream knows the published ids alone. */
export function publishedIds({ unknownId }: Texts): Rule {
  return {
    name: 'published ids',
    judge: ({ protoId }) => (protoId >= OWN_IDS ? new Refused(unknownId) : undefined),
  };
}
