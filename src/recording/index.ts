export type { Recorded } from './event-reader.js';
export type { RecordedEvent, RecordedLoss, Source } from './events.js';
export { FILE_ENDING } from './frame.js';
export { recordedBackend } from './recorded-backend.js';
export { Recorder, type RecorderOptions } from './recorder.js';
export { DamagedRecording, readRecording } from './recording-file.js';
