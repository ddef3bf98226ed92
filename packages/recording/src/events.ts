import type { DescMessage, Message } from '@bufbuild/protobuf';
import { operations } from '@svc-gateway/contract/operations';
import { pushMessages } from '@svc-gateway/gateway/push';

/** Origin of an event: a stream, or a request. It is kept as JSON: 64-bit integers are texts, bytes base64. */
export type Source =
  | {
      readonly kind: 'quote';
      readonly protoId: number;
      readonly symbol: string;
      readonly subType: number;
      readonly rehabType: number;
      readonly extendedTime: boolean;
      readonly orderDetail?: true;
      readonly secKey: string;
    }
  | { readonly kind: 'notify'; readonly protoId: number }
  | { readonly kind: 'trade'; readonly protoId: number; readonly accId: string; readonly trdMarket: number }
  | { readonly kind: 'answer'; readonly operation: string; readonly request: string };

/** One push or answer of a backend. */
export interface RecordedEvent {
  /** When it came, epoch ms. */
  readonly time: number;
  readonly source: Source;
  /** The `Response`. */
  readonly message: Message;
  /** JSON beside the message: a gap that a notice announces. Mostly empty. */
  readonly beside: string;
}

/** A stretch of time that a recording lacks. Times are epoch ms. */
export interface RecordedLoss {
  readonly from: number;
  readonly to: number;
  /** Events that could not be written; 0 where it is not known how many never came. */
  readonly events: number;
  /** Reason why they never arrived; absent where they could not be written. */
  readonly reason?: string;
  /** The streams that lack them, by their keys; left out where it is every one. */
  readonly streams?: readonly string[];
}

const operationsByName = new Map(operations.map((operation) => [operation.name, operation]));

/** The `Response` of what a source sends; undefined where this version has none, so that a recording of a later one is passed over. */
export function schemaOf(source: Source): DescMessage | undefined {
  return source.kind === 'answer'
    ? operationsByName.get(source.operation)?.messages.ResponseSchema
    : pushMessages.get(source.protoId)?.ResponseSchema;
}
