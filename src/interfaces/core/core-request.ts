import type { BodyFormat } from '../../wire/index.js';

/** A request as either wire carries it. */
export interface CoreRequest {
  readonly protoId: number;
  /** Of the body, and of its answer's. */
  readonly format: BodyFormat;
  readonly body: Uint8Array;
  /** What the answer repeats: a serial number or a section. */
  readonly tag: number | bigint;
}
