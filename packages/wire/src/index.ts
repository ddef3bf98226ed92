export { type BodyFormat, type BodyRead, decodeBody, encodeBody, parseBody } from './body.js';
export { type Cipher, packetCipher, packetEncAlgo, plainText } from './cipher.js';
export { isLiveRead, klineSubTypes, neededSubscriptions, subTypeName } from './live-reads.js';
export {
  FREQUENCY_WINDOW_MS,
  type FrequencyLimit,
  frequencyBudget,
  frequencyLimitOf,
  frequencyLimits,
  sizeLimitOf,
  sizeLimits,
} from './published-limits.js';
export { type RsaKeyRead, readRsaKey, rsaCipher } from './rsa.js';
export {
  aroundSerial,
  BODY_BYTES_MAX,
  encodeFrame,
  type Frame,
  type FrameError,
  type FrameRead,
  FrameReader,
  keptDigest,
  sealFrames,
} from './tcp-frame.js';
export {
  decodeWsAnswer,
  decodeWsRequest,
  encodeWsAnswer,
  encodeWsPush,
  encodeWsRequest,
  type WsAnswer,
  type WsRead,
  type WsRequest,
  wsCommand,
  wsError,
} from './ws-frame.js';
