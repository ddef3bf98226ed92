import { getHeapStatistics } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { operationNamed } from '@svc-gateway/contract/operations';
import { answers } from '@svc-gateway/simulator/answers';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { copyWorld, forgetAll, type WorldCopy, type WorldRecipe, whileComputing } from '@svc-gateway/simulator/simulation';
import type { EveryFact } from '@svc-gateway/simulator/view/facts';
import type { Question, Reply } from './answer-messages.js';

/** Part of the heap from which on caches are emptied. */
const EMPTIED_FROM = 0.6;
/** Emptied caches fill again, and much of the heap may be garbage: they are not emptied more often. */
const EMPTIED_EVERY_MS = 1_000;

/** Answers the questions of a port from a copy of the world, each at its own moment. */
export function answerQuestions(port: MessagePort, recipe: WorldRecipe): void {
  const copied = copyWorld(recipe);
  whileComputing(cachesEmptied());
  port.on('message', async (question: Question) => {
    const reply = await copied.then((copy) => answer(copy, question)).catch((defect: unknown): Reply => ({ id: question.id, defect }));
    port.postMessage(reply, 'payload' in reply ? [reply.payload.buffer as ArrayBuffer] : []);
  });
}

/** Looks at the heap, and empties the caches where it is about to be full. */
function cachesEmptied(): () => void {
  let emptiedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - emptiedAt < EMPTIED_EVERY_MS) return;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    if (used < EMPTIED_FROM * limit) return;
    emptiedAt = now;
    forgetAll();
  };
}

async function answer({ facts, follow }: WorldCopy, { id, operation: name, request, moment, changes, watched }: Question): Promise<Reply> {
  follow(moment, changes, watched);
  const operation = operationNamed(name);
  const answerOf = answers.get(name);
  if (operation === undefined || answerOf === undefined) throw new Error(`nothing answers ${name}`);
  const { C2SSchema, S2CSchema } = operation.messages;
  const outcome = await answerOf(facts as EveryFact, fromBinary(C2SSchema, request));
  if (outcome instanceof Refusal) return { id, refusal: { message: outcome.message, errCode: outcome.errCode } };
  return { id, payload: toBinary(S2CSchema, outcome as Message) };
}
