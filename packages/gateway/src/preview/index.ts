export type * from './preview.js';
export { Previewer } from './previewer.js';
export { repetitionOf, undecided } from './repetition.js';
export { accountInWords, previewSentence } from './sentence.js';
export { shownPreview } from './shown.js';
export { previewText } from './text.js';
