import type { IncomingMessage } from 'node:http';
import { Rejection } from '../../contract/rejection.js';
import { queryOf } from '../common/upgrade.js';
import type { WireFormat } from './push-formats.js';

/** `?format=json|protobuf` and `?int64=number|string` (or the header `X-Svc-Int64`). */
export function wireFormatOf(request: IncomingMessage): WireFormat | Rejection {
  const query = queryOf(request);
  const format = query.get('format') ?? 'json';
  if (format !== 'json' && format !== 'protobuf') {
    return new Rejection('request.out_of_range', `format: accepted are json and protobuf, found ${JSON.stringify(format.slice(0, 40))}`);
  }
  const int64 = query.get('int64') ?? request.headers['x-svc-int64'] ?? 'number';
  if (int64 !== 'number' && int64 !== 'string') {
    return new Rejection(
      'request.out_of_range',
      `int64: accepted are number and string, found ${JSON.stringify(String(int64).slice(0, 40))}`,
    );
  }
  return { format, int64 };
}
