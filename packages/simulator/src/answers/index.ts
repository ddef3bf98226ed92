import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { declared } from '@svc-gateway/contract/operations';
import type { OwnOperation } from '@svc-gateway/contract/operations/own';
import { Refusal } from '../refusal.js';
import type { Answer, EveryFact } from '../view/facts.js';
import { messageOf } from '../view/messages.js';
import * as account from './account/index.js';
import * as calendar from './calendar/index.js';
import * as derivatives from './derivatives/index.js';
import * as extension from './extension/index.js';
import * as forexAccount from './forex-account/index.js';
import * as industry from './industry/index.js';
import * as institution from './institution/index.js';
import * as klinePattern from './kline-pattern/index.js';
import * as metadata from './metadata/index.js';
import * as news from './news/index.js';
import * as quote from './quote/index.js';
import * as ranking from './ranking/index.js';
import * as research from './research/index.js';
import * as system from './system/index.js';
import type { AnswersTo } from './table.js';
import * as trade from './trade/index.js';
import * as userState from './user-state/index.js';

type Declared = typeof declared;

/** The groups of which a backend answers something. */
type Answered = {
  readonly [G in keyof Declared as Exclude<keyof Declared[G], OwnOperation> extends never ? never : G]: AnswersTo<Declared[G]>;
};

const groups: Answered = {
  system,
  quote,
  kline_pattern: klinePattern,
  metadata,
  derivatives,
  calendar,
  ranking,
  research,
  institution,
  industry,
  extension,
  news,
  user_state: userState,
  account,
  forex_account: forexAccount,
  trade,
};

/** Answers by the declared name of their operation ("get_quote"). Requests are what the operation declares, or the decoder has a defect. */
export const answers: ReadonlyMap<string, Answer<keyof EveryFact, unknown, Message>> = new Map(
  Object.entries(groups).flatMap(([group, table]) =>
    Object.entries(table).map(([name, answer]) => {
      const operation = (declared as Record<string, Record<string, Operation>>)[group]?.[name];
      if (operation === undefined) throw new Error(`${group}.${name} is answered and not declared`);
      return [operation.name, withMessages(operation.messages.S2CSchema, answer as never)];
    }),
  ),
);

/** The answer with messages in place of plain fields. */
function withMessages(schema: DescMessage, answer: Answer<keyof EveryFact, unknown, object>): Answer<keyof EveryFact, unknown, Message> {
  const written = (payload: object) => (payload instanceof Refusal ? payload : messageOf(schema, payload));
  return (facts, request, asker) => {
    const payload = answer(facts, request, asker);
    return payload instanceof Promise ? payload.then(written) : written(payload);
  };
}
