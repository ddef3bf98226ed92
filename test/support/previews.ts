import type { Operation } from '../../src/contract/operation.js';
import { Rejection } from '../../src/contract/rejection.js';
import type { CancelPreview, ComboPreview, ModifyPreview, PlacePreview, PositionPreview, Preview } from '../../src/gateway/index.js';
import type { Approach, Desk } from './desk.js';

interface ByKind {
  readonly place: PlacePreview;
  readonly combo: ComboPreview;
  readonly modify: ModifyPreview;
  readonly cancel: CancelPreview;
  readonly position: PositionPreview;
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
