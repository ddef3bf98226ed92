import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from '@svc-gateway/contract/enums';
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

/** How a caller wants enumerations: `numbers|names`, by the header `X-Svc-Enums` or the field that says so in its place. */
export function enumsOf(wanted: string | readonly string[] = 'numbers', field = 'X-Svc-Enums'): Dialect | Rejection {
  if (wanted === 'numbers' || wanted === 'names') return wanted === 'names' ? 'mcp' : 'rest';
  return new Rejection('request.out_of_range', `${field}: expected numbers or names, found ${quoted(String(wanted))}`, { field });
}
