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
import type { Clock } from '@svc-gateway/contract/clock';
import { TrdEnv, type TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Gateway, type Preview, previewSentence } from '@svc-gateway/gateway';
import { questionInWords } from './question-words.js';
import { failureResult, rejectionResult } from './result.js';
import { decodeArguments, type ToolCall } from './tool-call.js';

/** Trading writes that a person must confirm, if the client can ask one. */
export type ConfirmMode = 'always' | 'real' | 'never';

/** State that a question carries to the client and back. It is signed, which binds an answer to its question. */
interface QuestionState {
  /** Digest of the request in question. */
  readonly digest: string;
  /** Makes each answer valid once. */
  readonly nonce: string;
  /** Time of the question on the monotonic clock: the wall clock, which the library signs, can be set back. */
  readonly askedAt: number;
}

interface Question {
  readonly text: string;
  /** Orders that close a position, if the question is about one and the caller may see it. */
  readonly orders?: string;
}

/** Time to answer a question. */
const ANSWER_SECONDS_MAX = 600;
/** Maximum used answers remembered: more than people can give in that time. */
const USED_MAX = 10_000;
const KEY_BYTES = 32;

/**
 * Asks a person before a trading write is sent, by the protocol's elicitation: the model cannot answer in the person's
 * place. A client without elicitation is not asked; scopes and gates hold for it as for everybody.
 */
export class Confirmation {
  readonly #codec = createRequestStateCodec<QuestionState>({
    key: randomBytes(KEY_BYTES),
    ttlSeconds: ANSWER_SECONDS_MAX,
    bind: (context) => `${context.mcpReq.method} ${context.http?.authInfo?.clientId}`,
  });
  /** Expiry on the monotonic clock, by nonce. */
  readonly #used = new Map<string, number>();

  constructor(private readonly options: { readonly gateway: Gateway; readonly clock: Clock; readonly mode: ConfirmMode }) {}

  /** Verifies the state of an answer: throws unless we signed it, for this caller, and recently enough. */
  verify(state: string, context: ServerContext): Promise<QuestionState> {
    return this.#codec.verify(state, context);
  }

  /** Decides about a write: undefined to go ahead, else the question to ask, or the refusal. */
  async before(call: ToolCall): Promise<CallToolResult | InputRequiredResult | undefined> {
    const { operation, context } = call;
    if (this.options.mode === 'never' || operation.group !== 'trade' || operation.effect === 'read') return undefined;
    const request = decodeArguments(call);
    // Invalid arguments are rejected later, with their own error.
    if (request instanceof Rejection) return undefined;
    const state = context.mcpReq.requestState<QuestionState>();
    const answered = state !== undefined && context.mcpReq.inputResponses !== undefined;
    // A question that was asked is held to its answer, even if the account turns out to be simulated.
    if (!answered && !(await this.#asksPerson(call, request))) return undefined;
    return answered ? this.#heed(call, request, state) : this.#ask(call, request);
  }

  async #asksPerson(call: ToolCall, request: Message): Promise<boolean> {
    return call.elicits && (this.options.mode === 'always' || !(await this.#isSimulated(call, request)));
  }

  /** True if a write touches only a simulated account. An unknown environment counts as real. */
  async #isSimulated({ operation, caller }: ToolCall, { header }: Message & { header?: TrdHeader }): Promise<boolean> {
    if (!operation.envOfAccount) return header?.trdEnv === TrdEnv.TrdEnv_Simulate;
    const accounts = await this.options.gateway.accountsFor(operation, caller);
    if (accounts instanceof Rejection) return false;
    return accounts.find(({ accID }) => accID === header?.accID)?.trdEnv === TrdEnv.TrdEnv_Simulate;
  }

  async #ask(call: ToolCall, request: Message): Promise<CallToolResult | InputRequiredResult | undefined> {
    const question = await this.#question(call, request);
    if (question === undefined || !isQuestion(question)) return question;
    const digest = digestOf(call, request, question.orders);
    const requestState = await this.#codec.mint(
      { digest, nonce: randomBytes(12).toString('base64url'), askedAt: this.options.clock.monotonic() },
      call.context,
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

  /** Checks an answer: undefined if it is yes and matches this request as it would be executed now. */
  async #heed(call: ToolCall, request: Message, state: QuestionState): Promise<CallToolResult | undefined> {
    const { operation, caller, context } = call;
    // The orders that close a position depend on the current holdings, not on the request.
    const question = operation.valuer === 'position' ? await this.#question(call, request) : null;
    if (question === undefined || (question !== null && !isQuestion(question))) return question;
    const refused = this.#judge(state, digestOf(call, request, question?.orders), context);
    if (refused === undefined) return undefined;
    return rejectionResult(await this.options.gateway.refuse(operation, caller, refused, request), caller.requestId);
  }

  /**
   * Words the question; undefined if nothing would be sent, because the request was answered before. A write that would be
   * refused anyway is refused here, without asking.
   */
  async #question(call: ToolCall, request: Message): Promise<Question | CallToolResult | undefined> {
    const { operation, caller } = call;
    const preview = await this.options.gateway.ask(operation, caller, () => decodeArguments(call));
    if (preview === undefined) return { text: questionInWords(operation, request) };
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
    const now = this.options.clock.monotonic();
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

/** Digest of everything that a yes applies to, the key included: another key needs its own confirmation. */
function digestOf({ operation, caller }: ToolCall, request: Message, orders = ''): string {
  const body = messageWriter(operation.messages.C2SSchema, 'mcp')(request);
  return createHash('sha256').update(`${operation.name} ${caller.keyText} ${body} ${orders}`).digest('base64url');
}

function ordersOf(preview: Preview): Pick<Question, 'orders'> {
  if (preview.kind !== 'position' || preview.orders === null) return {};
  return {
    orders: preview.orders.map(({ role, side, qty, symbol, orderType }) => [role, side, qty, symbol, orderType].join(' ')).join(', '),
  };
}
