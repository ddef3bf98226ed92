import type { FieldCondition } from './field-condition.js';
import type { Param } from './shape.js';

/** A field anywhere in a request, by its path from `C2S` with `[]` for each element of a list, and what it has to hold. */
export interface FieldValue extends Param {
  /** Only requests that meet this are held to it. */
  readonly when?: FieldCondition;
}
