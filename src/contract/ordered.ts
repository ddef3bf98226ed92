import type { DescMessage, Message } from '@bufbuild/protobuf';
import { fieldValue, presence } from './field-path.js';
import type { FieldNames, NeedCheck } from './needs.js';

/** Two fields by their paths from `C2S`: the first must not exceed the second where both are given. */
export type OrderedPair = readonly [least: string, most: string];

/** The first pair that is the wrong way round. Dates compare as their texts do. */
export function orderedCheck(desc: DescMessage, ordered: readonly OrderedPair[], nameOf: FieldNames): NeedCheck {
  const pairs = ordered.map((paths) =>
    paths.map((path) => ({ name: nameOf(path), isSet: presence(desc, path), value: fieldValue(desc, path) })),
  );
  return (message: Message) => {
    for (const [least, most] of pairs) {
      if (least === undefined || most === undefined || !least.isSet(message) || !most.isSet(message)) continue;
      const [low, high] = [least.value(message) as number, most.value(message) as number];
      if (low <= high) continue;
      return {
        kind: 'out_of_range',
        path: least.name,
        message: `${least.name}: ${low} exceeds ${most.name}, which is ${high}; accepted: at most that`,
      };
    }
    return undefined;
  };
}
