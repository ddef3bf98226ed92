import { create, type Message } from '@bufbuild/protobuf';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { JsonObject } from '../../contract/json/value.js';
import type { Operation } from '../../contract/operation.js';
import { Rejection } from '../../contract/rejection.js';
import { shown } from '../../contract/shown.js';
import { cutField } from '../../contract/tools.js';
import { type Caller, type Gateway, payloadOf, previewText, type ResponseMessage } from '../../gateway/index.js';
import type { HttpCallers } from '../common/callers.js';
import { readToolArguments } from './arguments.js';
import { type Asked, callerOf, decodeArguments } from './asked.js';
import { besideAnswer } from './beside-answer.js';
import type { Confirmation } from './confirmation.js';
import { inCurrency } from './in-currency.js';
import type { HandedPage, PageStore } from './page-store.js';
import { type Waiting, withProgress } from './progress.js';
import { type Additions, failureResult, payloadResult, rejectionResult, textResult } from './result.js';
import { tableOf } from './rows.js';
import { select } from './selection.js';
import type { Toolbox } from './toolbox.js';
import { understood } from './understood.js';
import type { Visitor } from './visitor.js';

export interface ToolCallParts {
  readonly gateway: Gateway;
  readonly toolbox: Toolbox;
  readonly callers: HttpCallers;
  readonly pages: PageStore;
  readonly confirmation: Confirmation;
}

/** The client's side of a call. */
export type Client = Pick<Asked, 'context' | 'elicits'>;

/** Calls tools: arguments in, pipeline, answer out. No rule lives here but how a tool is asked and how it answers. */
export class ToolCalls {
  readonly #parts: ToolCallParts;

  constructor(parts: ToolCallParts) {
    this.#parts = parts;
  }

  async call(name: string, args: JsonObject | undefined, visitor: Visitor, client: Client): Promise<CallToolResult | InputRequiredResult> {
    const { gateway, toolbox, callers } = this.#parts;
    // A name is whatever the client sent, and goes into the audit trail.
    const caller = callers.asking(visitor.caller, shown(name));
    const named = toolbox.find(name, visitor);
    if (named instanceof Rejection) {
      gateway.auditRejection(caller, named);
      return rejectionResult(named, caller.requestId);
    }
    const given = readToolArguments(named, args);
    if (given instanceof Rejection) return this.#rejectArguments(named, caller, visitor, given);
    if (given.apiKey !== undefined) {
      const other = gateway.identify(callerOf(caller, given, client.context.mcpReq.signal));
      if (!(other instanceof Rejection)) visitor.answeredAs?.(other);
    }
    let waiting: Waiting | undefined;
    const onWaiting = (say: () => string, ms: number) => {
      waiting = { say, ms };
    };
    const asked = await this.#understand({
      operation: named,
      reading: named,
      given,
      caller: { ...callerOf(caller, given, client.context.mcpReq.signal), onWaiting },
      visitor,
      ...client,
    });
    if (given.cursor !== undefined) return this.#nextPage(asked, given.cursor);
    if (given.preview) return this.#preview(asked);
    const stopped = await this.#parts.confirmation.before(asked);
    return (
      stopped ??
      withProgress(
        client.context,
        () => waiting,
        () => this.#run(asked),
      )
    );
  }

  /** Who answers, and what has to be known to read the arguments. */
  async #understand(asked: Asked): Promise<Asked> {
    const { operation, given, caller } = asked;
    const { form, cardNum } = given;
    if (form !== undefined) return { ...asked, ...form, caller: { ...caller, endpoint: form.operation.tool ?? caller.endpoint } };
    return cardNum === undefined ? asked : { ...asked, accounts: await this.#parts.gateway.accountsFor(operation, caller) };
  }

  /** A caller that may not use the tool learns that, and nothing of its arguments. */
  #rejectArguments(operation: Operation, caller: Caller, { identity }: Visitor, rejection: Rejection): CallToolResult {
    const { gateway } = this.#parts;
    if (!gateway.mayUse(operation, caller, identity)) {
      const denied = gateway.admit(operation, caller);
      if (denied instanceof Rejection) return rejectionResult(denied, caller.requestId);
    }
    gateway.auditRejection(caller, rejection);
    return rejectionResult(rejection, caller.requestId);
  }

  async #run(asked: Asked): Promise<CallToolResult> {
    const { operation, caller } = asked;
    let request: Message | undefined;
    const decode = () => {
      const decoded = decodeArguments(asked);
      if (!(decoded instanceof Rejection)) request = decoded;
      return decoded;
    };
    const answer = await this.#parts.gateway.call(operation, caller, decode);
    if (answer instanceof Rejection) return rejectionResult(answer, caller.requestId);
    if (answer.retType !== 0) return failureResult(answer, caller.requestId);
    const said: Additions =
      request === undefined
        ? {}
        : { ...understood(operation, request), ...(await besideAnswer(this.#parts.gateway, operation, request, answer)) };
    // A success may have something to say as well: what it left out.
    const additions: Additions = answer.retMsg === '' ? said : { ...said, note: JSON.stringify(answer.retMsg) };
    return this.#write(asked, answer, additions);
  }

  async #write(asked: Asked, answer: ResponseMessage, additions: Additions): Promise<CallToolResult> {
    const { gateway, pages } = this.#parts;
    const { operation, given, caller, visitor } = asked;
    const whole = payloadOf(operation, answer) ?? create(operation.messages.S2CSchema);
    const payload = given.currency === undefined ? whole : inCurrency(operation, whole, given.currency);
    try {
      // What has been carried out is answered, whatever has become of the key meanwhile.
      if (operation.effect !== 'read') return payloadResult(operation, payload, visitor.int64, additions);
      const identity = given.apiKey === undefined ? visitor.identity : gateway.identify(caller);
      if (identity instanceof Rejection) return rejectionResult(identity, caller.requestId);
      const { selection, limit, asObjects } = given;
      const table = asObjects === true ? undefined : tableOf(operation, payload, selection);
      const selected = selection === undefined ? payload : select(payload, selection);
      const page = await pages.first(selected, identity, operation, { limit, table });
      return page instanceof Rejection ? rejectionResult(page, caller.requestId) : pageResult(page, visitor.int64, additions);
    } catch (thrown) {
      return rejectionResult(gateway.defect(caller, thrown), caller.requestId);
    }
  }

  #nextPage({ operation, caller, visitor }: Asked, cursor: string): CallToolResult {
    const { gateway, pages } = this.#parts;
    const identity = gateway.admit(operation, caller);
    if (identity instanceof Rejection) return rejectionResult(identity, caller.requestId);
    const page = pages.take(cursor, identity, operation);
    return page instanceof Rejection ? rejectionResult(page, caller.requestId) : pageResult(page, visitor.int64, {});
  }

  async #preview(asked: Asked): Promise<CallToolResult> {
    const { operation, caller, visitor } = asked;
    const preview = await this.#parts.gateway.preview(operation, caller, () => decodeArguments(asked));
    if (preview instanceof Rejection) return rejectionResult(preview, caller.requestId);
    if ('retType' in preview) return failureResult(preview, caller.requestId);
    return textResult((int64) => previewText(preview, int64), visitor.int64);
  }
}

function pageResult({ operation, payload, table, page }: HandedPage, int64: Int64Format, additions: Additions): CallToolResult {
  const said = page === undefined ? additions : { ...additions, [cutField(operation)]: JSON.stringify(page) };
  return payloadResult(operation, payload, int64, said, table);
}
