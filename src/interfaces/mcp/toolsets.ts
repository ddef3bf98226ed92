import { Rejection } from '../../contract/rejection.js';
import { quoted } from '../../contract/shown.js';
import { namesInList, type Toolsets, toolsetNames, toolsetsOf, unknownToolset } from '../../contract/toolsets.js';

/** Reads the toolsets that a client wants, "quote,account"; undefined = it names none. */
export function readToolsets(text: string | readonly string[] | undefined): Toolsets | undefined | Rejection {
  const names = namesInList(String(text ?? ''));
  if (names.length === 0) return undefined;
  const unknown = unknownToolset(names);
  if (unknown === undefined) return toolsetsOf(names);
  const message = `toolsets: unknown toolset ${quoted(unknown)}, accepted: ${toolsetNames.join(', ')}`;
  return new Rejection('request.out_of_range', message, { field: 'X-Svc-Toolsets' });
}
