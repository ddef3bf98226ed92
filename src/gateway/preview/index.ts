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
export { Previewer } from './previewer.js';
export { previewSentence } from './sentence.js';
export { previewText } from './text.js';
