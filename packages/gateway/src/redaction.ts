import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';

const STRING = /the string "(?:[^"\\]|\\.)*"/g;
const NUMBER = /(?:the number|from JSON:) [^\s;,]+/g;
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Reason why a request cannot be read, without what came: a password may have come in any field, or as the name of one, and refusals
 * go to the audit trail. Of operations that take no secret, the refusal as it is.
 */
export function withoutValues({ shape }: Operation, rejection: Rejection): Rejection {
  if (!shape.some(({ secret }) => secret)) return rejection;
  const names = new Set(['c2s', ...shape.flatMap(({ field, name, aliases }) => [field, name, ...aliases])]);
  const message = rejection.message
    .replace(STRING, 'a string')
    .replace(NUMBER, 'a number')
    .replace(QUOTED, (quoted, text: string) => (names.has(text) ? quoted : '"…"'));
  const { field, ...details } = rejection.details;
  return new Rejection(rejection.code, message, field !== undefined && names.has(field) ? { ...details, field } : details);
}
