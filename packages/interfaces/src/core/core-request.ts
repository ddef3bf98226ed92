import type { BodyFormat } from '@svc-gateway/wire';

/** A request as either wire carries it. */
export interface CoreRequest {
  readonly protoId: number;
  /** Format of the body, and of the answer's body. */
  readonly format: BodyFormat;
  readonly body: Uint8Array;
  /** Number that the answer repeats: a serial number or a section. */
  readonly tag: number | bigint;
}
