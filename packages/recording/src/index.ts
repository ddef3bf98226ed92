export type { RecordedEvent, RecordedLoss, Source } from './events.js';
export { Playback, type PlaybackListener } from './playback.js';
export { recordedBackend } from './recorded-backend.js';
export { Recorder, type RecorderOptions } from './recorder.js';
