import type { IncomingHttpHeaders } from 'node:http';
import type { Int64Format } from '../../contract/json/scalars.js';
import { Rejection } from '../../contract/rejection.js';
import { quoted } from '../../contract/shown.js';

/** How a caller wants 64-bit integers: `X-Svc-Int64: number|string`. */
export function int64Of(headers: IncomingHttpHeaders): Int64Format | Rejection {
  const format = headers['x-svc-int64'] ?? 'number';
  if (format === 'number' || format === 'string') return format;
  return new Rejection('request.out_of_range', `X-Svc-Int64: expected number or string, found ${quoted(String(format))}`, {
    field: 'X-Svc-Int64',
  });
}
