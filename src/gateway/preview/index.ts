export type {
  CancelPreview,
  Capacity,
  ComboPreview,
  ModifyPreview,
  OrderTerms,
  PlacePreview,
  PositionPreview,
  Preview,
  PreviewFees,
  PreviewGate,
  WorkingOrder,
} from './preview.js';
export { hasPreview, Previewer } from './previewer.js';
export { accountInWords, previewSentence } from './sentence.js';
export { previewText } from './text.js';
