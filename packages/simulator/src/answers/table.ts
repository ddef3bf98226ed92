import type { Operation, PayloadOf, RequestOf } from '@svc-gateway/contract/operation';
import type { OwnOperation } from '@svc-gateway/contract/operations/own';
import type { Answer, EveryFact } from '../view/facts.js';
import type { Fields } from '../view/messages.js';

/** An answer to an operation, whose payload is a message or its fields. */
export type AnswerTo<O extends Operation> = Answer<keyof EveryFact, RequestOf<O>, Fields<PayloadOf<O>>>;

/**
 * The answers to a group of declarations: one a backend's operation, under its export's name. One that is missing, one too many
 * or one of other messages does not compile.
 */
export type AnswersTo<Group> = {
  readonly [Name in Exclude<keyof Group, OwnOperation>]: Group[Name] extends Operation ? AnswerTo<Group[Name]> : never;
};
