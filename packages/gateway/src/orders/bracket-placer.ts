import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import type { CallContext } from '../backend.js';
import type { Answer } from '../responses.js';

/** A bracket by its entry order. */
interface BracketEntry {
  readonly id: string;
  readonly trdMarket: number;
  readonly secMarket: number;
  readonly code: string;
  /** The order's text; empty until it is known. */
  readonly entryIdEx: string;
}

/** Places entry orders together with their exits. */
export interface BracketPlacer {
  place(request: BracketC2S, keyId: string | null, context: CallContext): Promise<Answer>;
  /** Whether there is such a bracket. */
  has(id: string): boolean;
  /** Brackets of an account in its environment. */
  of(place: { readonly accId: bigint; readonly trdEnv: number }): readonly BracketEntry[];
  /** Told of every other order that a caller is told to have placed. */
  placed(orderName: string, remark: string): void;
}
