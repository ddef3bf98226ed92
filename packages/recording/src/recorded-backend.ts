import { type Message, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { type Group, type Operation, readsMarketData } from '@svc-gateway/contract/operation';
import type { Backend, CallContext, ResponseMessage } from '@svc-gateway/gateway';
import type { Recorder } from './recorder.js';
import { StreamLosses } from './stream-losses.js';

const accountReads: ReadonlySet<Group> = new Set<Group>(['account', 'forex_account']);

/** The backend, with everything that it pushes and answers going past the recorder. Refusals are not recorded. */
export function recordedBackend(backend: Backend, recorder: Recorder, clock: Clock, accountData: boolean): Backend {
  backend.onPush((event) => recorder.push(event));
  backend.onStreams(new StreamLosses(clock, (loss) => recorder.missed(loss)));
  const isRecorded = (operation: Operation) =>
    readsMarketData(operation) || (accountData && operation.effect === 'read' && accountReads.has(operation.group));
  const note = (operation: Operation, request: Message, response: ResponseMessage) => {
    if (response.retType === 0) recorder.answer(operation.name, toBinary(operation.messages.C2SSchema, request), response);
    return response;
  };
  const call = (operation: Operation, request: Message, context: CallContext) => {
    const answer = backend.call(operation, request, context);
    if (!isRecorded(operation)) return answer;
    return answer instanceof Promise ? answer.then((response) => note(operation, request, response)) : note(operation, request, answer);
  };
  const bound = new Map<string | symbol, unknown>([['call', call]]);
  return new Proxy(backend, {
    get(target, name) {
      if (bound.has(name)) return bound.get(name);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as unknown;
      bound.set(name, method);
      return method;
    },
  });
}
