import type { Message } from '@bufbuild/protobuf';
import { conditionHolds } from './field-condition.js';
import { getOrInsert } from './memo.js';
import type { Operation } from './operation.js';
import { operations as declared } from './operations/index.js';

interface Candidate {
  readonly operation: Operation;
  /** Whether a `C2S` is this operation's. */
  readonly answers: (c2s: Message) => boolean;
}

/** Qot_GetTradeDate, whose messages those of Qot_RequestTradeDate are on the wire. */
const OBSOLETE_TRADE_DATE = 3200;
const TRADE_DATE = 3219;

/** The id by which an operation is declared. */
function currentId(protoId: number): number {
  return protoId === OBSOLETE_TRADE_DATE ? TRADE_DATE : protoId;
}

/** Operations by protocol id. Several may share an id: then the message itself tells them apart. */
export class ProtocolIds {
  readonly #candidates = new Map<number, Candidate[]>();
  readonly #operations = new Map<number, readonly Operation[]>();

  /** Throws when operations that share an id cannot be told apart: a defect of the declarations. */
  constructor(operations: readonly Operation[] = declared) {
    for (const operation of operations) {
      if (operation.protoId === null) continue;
      const candidate = { operation, answers: conditionsOf(operation) };
      getOrInsert(this.#candidates, operation.protoId, () => []).push(candidate);
    }
    for (const [protoId, candidates] of this.#candidates) {
      // The one without conditions answers what no other does: it comes last.
      candidates.sort((a, b) => b.operation.answers.length - a.operation.answers.length);
      const rest = candidates.filter(({ operation }) => operation.answers.length === 0);
      if (rest.length !== 1) {
        const names = candidates.map(({ operation }) => operation.name).join(', ');
        throw new Error(`protocol id ${protoId}: exactly one of ${names} must be without conditions, ${rest.length} are`);
      }
      this.#operations.set(
        protoId,
        candidates.map(({ operation }) => operation),
      );
    }
  }

  /** The operations of an id; none where it is not served. */
  operationsOf(protoId: number): readonly Operation[] {
    return this.#operations.get(currentId(protoId)) ?? [];
  }

  /** The operation that a message of this id asks for; undefined where the id is not served. */
  operationOf(protoId: number, c2s: Message): Operation | undefined {
    return this.#candidates.get(currentId(protoId))?.find(({ answers }) => answers(c2s))?.operation;
  }
}

function conditionsOf({ answers, messages }: Operation): (c2s: Message) => boolean {
  const conditions = answers.map((condition) => conditionHolds(messages.C2SSchema, condition));
  return (c2s) => conditions.every((holds) => holds(c2s));
}
