import type { IncomingMessage } from 'node:http';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import type { EnvelopeFormat } from '../common/envelope.js';
import { int64Of } from '../common/int64-header.js';

/** How a caller wants answers: `X-Svc-Int64: number|string` and `X-Svc-Enums: numbers|names`. */
export function answerFormat({ headers }: IncomingMessage): EnvelopeFormat | Rejection {
  const int64 = int64Of(headers);
  if (int64 instanceof Rejection) return int64;
  const enums = headers['x-svc-enums'] ?? 'numbers';
  if (enums === 'numbers' || enums === 'names') return { int64, enums: enums === 'names' ? 'mcp' : 'rest' };
  return new Rejection('request.out_of_range', `X-Svc-Enums: expected numbers or names, found ${quoted(String(enums))}`, {
    field: 'X-Svc-Enums',
  });
}
