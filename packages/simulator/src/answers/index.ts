import type { Operation } from '@svc-gateway/contract/operation';
import { declared } from '@svc-gateway/contract/operations';
import type { OwnOperation } from '@svc-gateway/contract/operations/own';
import type { Answer, EveryFact } from '../view/facts.js';
import { account } from './account/index.js';
import { calendar } from './calendar/index.js';
import { derivatives } from './derivatives/index.js';
import { extension } from './extension/index.js';
import { forexAccount } from './forex-account/index.js';
import { industry } from './industry/index.js';
import { institution } from './institution/index.js';
import { klinePattern } from './kline-pattern/index.js';
import { metadata } from './metadata/index.js';
import { news } from './news/index.js';
import { quote } from './quote/index.js';
import { ranking } from './ranking/index.js';
import { research } from './research/index.js';
import { system } from './system/index.js';
import type { AnswersTo } from './table.js';
import { trade } from './trade/index.js';
import { userState } from './user-state/index.js';

type Declared = typeof declared;

/** The groups of which a backend answers something. */
type Answered = {
  readonly [G in keyof Declared as Exclude<keyof Declared[G], OwnOperation> extends never ? never : G]: AnswersTo<Declared[G]>;
};

const groups = {
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
} satisfies Answered;

/** Answers by the declared name of their operation ("get_quote"). Requests are what the operation declares, or the decoder has a defect. */
export const answers: ReadonlyMap<string, Answer<keyof EveryFact, unknown, unknown>> = new Map(
  Object.entries(groups).flatMap(([group, table]) => Object.entries(table).map(([name, answer]) => [nameOf(group, name), answer as never])),
);

function nameOf(group: string, name: string): string {
  const operation = (declared as Record<string, Record<string, Operation>>)[group]?.[name];
  if (operation === undefined) throw new Error(`${group}.${name} is answered and not declared`);
  return operation.name;
}
