import type { CallerChange } from '@svc-gateway/simulator/market';

/** A request for the answering thread. */
export interface Question {
  readonly id: number;
  /** Name of the operation. */
  readonly operation: string;
  /** The `C2S`. */
  readonly request: Uint8Array;
  /** Time of the simulated world, epoch ms. */
  readonly moment: number;
  /** Callers' trades and orders since the last question. */
  readonly changes: readonly CallerChange[];
  /** The symbols on the user's watchlists. */
  readonly watched: readonly string[];
}

/** Its answer: the `S2C`, the text of a refusal, or what was thrown. */
export type Reply =
  | { readonly id: number; readonly payload: Uint8Array }
  | { readonly id: number; readonly refusal: { readonly message: string; readonly errCode: number } }
  | { readonly id: number; readonly defect: unknown };
