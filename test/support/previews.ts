import { refusalCode } from '@svc-gateway/contract/broker-codes';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import {
  type Answer,
  type CancelPreview,
  type ComboPreview,
  type ModifyPreview,
  type PlacePreview,
  type PositionPreview,
  type Preview,
  previewText,
  type RepetitionPreview,
  type ResponseMessage,
} from '@svc-gateway/gateway';
import { expect } from 'vitest';
import type { Approach, Desk } from './desk.js';

interface ByKind {
  readonly place: PlacePreview;
  readonly combo: ComboPreview;
  readonly modify: ModifyPreview;
  readonly cancel: CancelPreview;
  readonly position: PositionPreview;
  readonly repetition: RepetitionPreview;
}

/** A preview that must come about, and be of this kind. */
export async function previewed<K extends Preview['kind']>(
  desk: Desk,
  kind: K,
  operation: Operation,
  body: object | string,
  approach?: Approach,
): Promise<ByKind[K]> {
  const outcome = await desk.preview(operation, body, approach);
  if (outcome instanceof Rejection) throw new Error(`${outcome.code}: ${outcome.message}`);
  if ('retType' in outcome) throw new Error(`${outcome.retType}: ${outcome.retMsg}`);
  if (outcome.kind !== kind) throw new Error(`a preview of ${outcome.kind}`);
  return outcome as ByKind[K];
}

/** Code and text of a refusal, by the gateway or by the brokerage; undefined where it is accepted. */
export function refusalOf(answer: Answer): readonly [string, string] | undefined {
  if (answer instanceof Rejection) return [answer.code, answer.message];
  return answer.retType === 0 ? undefined : [refusalCode(answer).code, answer.retMsg];
}

/** The refusal that a preview foretells, as {@link refusalOf} has it. Neither half of the preview contradicts the other. */
export function foretold(outcome: Preview | ResponseMessage | Rejection): readonly [string, string] | undefined {
  if (outcome instanceof Rejection || 'retType' in outcome) return refusalOf(outcome);
  expect(outcome.wouldPass).toBe(outcome.refusal === null);
  expect(outcome.brokerageDecided).toBe(true);
  if (outcome.wouldPass && 'capacity' in outcome && outcome.capacity !== null)
    expect([outcome.capacity.enough, outcome.capacity.message], previewText(outcome)).not.toContainEqual(false);
  return outcome.refusal === null ? undefined : [outcome.refusal.code, outcome.refusal.message];
}
