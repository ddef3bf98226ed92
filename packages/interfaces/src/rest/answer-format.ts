import type { IncomingMessage } from 'node:http';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { EnvelopeFormat } from '../common/envelope.js';
import { enumsOf, int64Of } from '../common/format-headers.js';

/** How a caller wants answers: `X-Svc-Int64: number|string` and `X-Svc-Enums: numbers|names`. */
export function answerFormat({ headers }: IncomingMessage): EnvelopeFormat | Rejection {
  const int64 = int64Of(headers);
  if (int64 instanceof Rejection) return int64;
  const enums = enumsOf(headers['x-svc-enums']);
  return enums instanceof Rejection ? enums : { int64, enums };
}
