import type { DescMessage } from '@bufbuild/protobuf';
import { memoized } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { payloadOf, type ResponseMessage } from '@svc-gateway/gateway';

/**
 * Answers whose lists are so long that to write them at once would hold everybody else up. They are written in pieces, one
 * in a turn of the event loop, whatever the number of callers that wait for one.
 */

/** Elements of a list in one piece: a few milliseconds' worth. */
export const ELEMENTS_A_PIECE = 100;

/** A few pieces are no gain: most lists are written at once. */
const ELEMENTS_AT_ONCE_MAX = 4 * ELEMENTS_A_PIECE;

const listsOf = memoized(({ fields }: DescMessage) =>
  fields.filter(({ fieldKind }) => fieldKind === 'list').map(({ localName }) => localName),
);

/** Whether an answer is to be written in pieces. */
export function isLong(operation: Operation, response: ResponseMessage): boolean {
  const payload = payloadOf(operation, response) as Readonly<Record<string, readonly unknown[]>> | undefined;
  if (payload === undefined) return false;
  return listsOf(operation.messages.S2CSchema).some((name) => (payload[name]?.length ?? 0) > ELEMENTS_AT_ONCE_MAX);
}

let last: Promise<void> = Promise.resolve();

/** Waits for a turn of the event loop that no other long answer has. */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return last;
}

let making: Promise<unknown> = Promise.resolve();

/** Makes a long answer once those before it are made: half-made, each of many callers' would hold some megabytes. */
export function madeAlone<T>(make: () => Promise<T>): Promise<T> {
  const made = making.then(make);
  making = made.catch(() => undefined);
  return made;
}
