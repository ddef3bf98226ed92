import type { BodyFormat } from '../../wire/index.js';

/** A request as either wire carries it. */
export interface CoreRequest {
  readonly protoId: number;
  /** Of the body, and of its answer's. */
  readonly format: BodyFormat;
  readonly body: Uint8Array;
  /** The body is one object for all requests that bring it. */
  readonly known: boolean;
  /** What the answer repeats: a serial number or a section. */
  readonly tag: number | bigint;
}
