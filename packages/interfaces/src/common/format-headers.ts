import type { IncomingHttpHeaders } from 'node:http';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';

/** How a caller wants 64-bit integers: `X-Svc-Int64: number|string`. */
export function int64Of(headers: IncomingHttpHeaders): Int64Format | Rejection {
  const format = headers['x-svc-int64'] ?? 'number';
  if (format === 'number' || format === 'string') return format;
  return new Rejection('request.out_of_range', `X-Svc-Int64: expected number or string, found ${quoted(String(format))}`, {
    field: 'X-Svc-Int64',
  });
}
