import { createHash, randomBytes } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import {
  acceptedContent,
  type CallToolResult,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../contract/clock.js';
import { TrdEnv, type TrdHeader } from '../../contract/generated/Trd_Common_pb.js';
import { messageWriter } from '../../contract/json/message-json.js';
import { hasPreview } from '../../contract/preview-path.js';
import { Rejection } from '../../contract/rejection.js';
import { type Gateway, type Preview, previewSentence } from '../../gateway/index.js';
import { type Asked, decodeArguments } from './asked.js';
import { questionInWords } from './question-words.js';
import { failureResult, rejectionResult } from './result.js';

/** Which trading writes a person is asked about, where the client can ask one. */
export type ConfirmMode = 'always' | 'real' | 'never';

/** What travels to the client and back with a question; signed, so that an answer belongs to the question it was given to. */
interface QuestionState {
  /** Of the request that was asked about. */
  readonly digest: string;
  /** Each answer sends one order. */
  readonly nonce: string;
  /** When it was asked, on the monotonic clock: the time that the library signs can be set back. */
  readonly askedAt: number;
}

interface Question {
  readonly text: string;
  /** The orders that a position comes to, where that is what is asked about and the caller may see it. */
  readonly orders?: string;
}

/** How long a question may stay unanswered. */
const ANSWER_SECONDS_MAX = 600;
/** Answers that are remembered as used: more than people can give in the time. */
const USED_MAX = 10_000;
const KEY_BYTES = 32;

/**
 * Asks a person before a trading write leaves, by the protocol's elicitation: the model cannot answer in the person's
 * place. A client that cannot ask is not asked; scopes and gates hold for it as for everybody.
 */
export class Confirmation {
  readonly #gateway: Gateway;
  readonly #clock: Clock;
  readonly #mode: ConfirmMode;
  readonly #codec = createRequestStateCodec<QuestionState>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: ANSWER_SECONDS_MAX,
    bind: (context) => `${context.mcpReq.method} ${context.http?.authInfo?.clientId}`,
  });
  /** Nonce → time on the monotonic clock from which it need not be remembered. */
  readonly #used = new Map<string, number>();

  constructor(options: { readonly gateway: Gateway; readonly clock: Clock; readonly mode: ConfirmMode }) {
    this.#gateway = options.gateway;
    this.#clock = options.clock;
    this.#mode = options.mode;
  }

  /** Checks what comes back with an answer: throws unless it is ours, of this caller, and not too old. */
  verify(state: string, context: ServerContext): Promise<QuestionState> {
    return this.#codec.verify(state, context);
  }

  /** undefined: go ahead. Otherwise the question to ask, or why the write does not leave. */
  async before(asked: Asked): Promise<CallToolResult | InputRequiredResult | undefined> {
    const { operation, context } = asked;
    if (this.#mode === 'never' || operation.group !== 'trade' || operation.effect === 'read') return undefined;
    const request = decodeArguments(asked);
    // What cannot be read is refused further on, for its own reason.
    if (request instanceof Rejection) return undefined;
    const state = context.mcpReq.requestState<QuestionState>();
    const answered = state !== undefined && context.mcpReq.inputResponses !== undefined;
    // Whatever is known of the account by now, a question that was asked is held to its answer.
    if (!answered && !(await this.#asksPerson(asked, request))) return undefined;
    return answered ? this.#heed(asked, request, state) : this.#ask(asked, request);
  }

  async #asksPerson(asked: Asked, request: Message): Promise<boolean> {
    return asked.elicits && (this.#mode === 'always' || !(await this.#isSimulated(asked, request)));
  }

  /** Whether a write touches a simulated account alone. One whose environment nobody can tell counts as real. */
  async #isSimulated({ operation, caller }: Asked, { header }: Message & { header?: TrdHeader }): Promise<boolean> {
    if (!operation.envOfAccount) return header?.trdEnv === TrdEnv.TrdEnv_Simulate;
    const accounts = await this.#gateway.accountsFor(operation, caller);
    if (accounts instanceof Rejection) return false;
    return accounts.find(({ accID }) => accID === header?.accID)?.trdEnv === TrdEnv.TrdEnv_Simulate;
  }

  async #ask(asked: Asked, request: Message): Promise<CallToolResult | InputRequiredResult | undefined> {
    const question = await this.#question(asked, request);
    if (question === undefined || !isQuestion(question)) return question;
    const digest = digestOf(asked, request, question.orders);
    const requestState = await this.#codec.mint(
      { digest, nonce: randomBytes(12).toString('base64url'), askedAt: this.#clock.monotonic() },
      asked.context,
    );
    const confirm = inputRequired.elicit({
      message: question.text,
      requestedSchema: {
        type: 'object',
        properties: { confirm: { type: 'boolean', title: 'Go ahead', description: 'True sends it now.', default: false } },
        required: ['confirm'],
      },
    });
    return inputRequired({ inputRequests: { confirm }, requestState });
  }

  /** undefined where the answer is yes, and belongs to this request as it would be carried out now. */
  async #heed(asked: Asked, request: Message, state: QuestionState): Promise<CallToolResult | undefined> {
    const { operation, caller, context } = asked;
    // What a position is turned into is up to what the account holds by now: the request does not say it.
    const question = operation.valuer === 'position' ? await this.#question(asked, request) : null;
    if (question === undefined || (question !== null && !isQuestion(question))) return question;
    const refused = this.#judge(state, digestOf(asked, request, question?.orders), context);
    if (refused === undefined) return undefined;
    this.#gateway.auditRejection(caller, refused);
    return rejectionResult(refused, caller.requestId);
  }

  /**
   * Question for a person; undefined where nothing would be sent, as the request was answered before. A write that would be refused is refused
   * here, and nobody is bothered with it.
   */
  async #question(asked: Asked, request: Message): Promise<Question | CallToolResult | undefined> {
    const { operation, caller } = asked;
    if (!hasPreview(operation)) {
      const judged = this.#gateway.admit(operation, caller, request);
      return judged instanceof Rejection ? rejectionResult(judged, caller.requestId) : { text: questionInWords(operation, request) };
    }
    const preview = await this.#gateway.ask(operation, caller, () => decodeArguments(asked));
    if (preview instanceof Rejection) return rejectionResult(preview, caller.requestId);
    if ('retType' in preview) return failureResult(preview, caller.requestId);
    return preview.kind === 'repetition' ? undefined : { text: previewSentence(preview), ...ordersOf(preview) };
  }

  #judge({ digest, nonce, askedAt }: QuestionState, expected: string, { mcpReq }: ServerContext): Rejection | undefined {
    if (digest !== expected) {
      return new Rejection(
        'confirmation.mismatch',
        'the confirmation belongs to another request, or to a position that has changed: nothing was sent, ask again',
      );
    }
    const now = this.#clock.monotonic();
    if (now > askedAt + ANSWER_SECONDS_MAX * 1000) {
      return new Rejection('confirmation.mismatch', 'the confirmation came too late: nothing was sent, ask again');
    }
    for (const [known, until] of this.#used) {
      if (until > now && this.#used.size < USED_MAX) break;
      this.#used.delete(known);
    }
    if (this.#used.has(nonce)) {
      return new Rejection('confirmation.mismatch', 'the confirmation was already used: check the orders for its outcome');
    }
    this.#used.set(nonce, now + ANSWER_SECONDS_MAX * 1000);
    if (acceptedContent(mcpReq.inputResponses, 'confirm')?.confirm === true) return undefined;
    return new Rejection('confirmation.declined', 'the person asked did not confirm: nothing was sent');
  }
}

function isQuestion(said: Question | CallToolResult): said is Question {
  return 'text' in said;
}

/** What a yes holds for. The key as well: what was confirmed to one is not confirmed to another that the next call may name. */
function digestOf({ operation, caller }: Asked, request: Message, orders = ''): string {
  const body = messageWriter(operation.messages.C2SSchema, 'mcp')(request);
  return createHash('sha256').update(`${operation.name} ${caller.keyText} ${body} ${orders}`).digest('base64url');
}

function ordersOf(preview: Preview): Pick<Question, 'orders'> {
  if (preview.kind !== 'position' || preview.orders === null) return {};
  return {
    orders: preview.orders.map(({ role, side, qty, symbol, orderType }) => [role, side, qty, symbol, orderType].join(' ')).join(', '),
  };
}
