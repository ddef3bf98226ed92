import { create, type Message } from '@bufbuild/protobuf';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import type { JsonObject } from '@svc-gateway/contract/json/value';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import { cutField } from '@svc-gateway/contract/tools';
import { type Gateway, payloadOf, previewText, type ResponseMessage } from '@svc-gateway/gateway';
import type { HttpCallers } from '../common/callers.js';
import { readToolArguments } from './arguments.js';
import type { Confirmation } from './confirmation.js';
import { extraFields } from './extra-fields.js';
import type { McpCaller } from './mcp-caller.js';
import type { HandedPage, PageStore } from './page-store.js';
import { type Waiting, withProgress } from './progress.js';
import { type ExtraFields, failureResult, payloadResult, rejectionResult, textResult } from './result.js';
import { tableOf } from './rows.js';
import { inCurrency, select } from './selection.js';
import { callerOf, decodeArguments, type ToolCall } from './tool-call.js';
import type { Toolbox } from './toolbox.js';
import { understood } from './understood.js';

export interface ToolCallDeps {
  readonly gateway: Gateway;
  readonly toolbox: Toolbox;
  readonly callers: HttpCallers;
  readonly pages: PageStore;
  readonly confirmation: Confirmation;
}

/** The client's side of a call. */
export type Client = Pick<ToolCall, 'context' | 'elicits'>;

/** Executes tool calls: parses arguments, calls the pipeline, writes the answer. It has no rules besides these formats. */
export class ToolCalls {
  constructor(private readonly deps: ToolCallDeps) {}

  async call(
    name: string,
    args: JsonObject | undefined,
    mcpCaller: McpCaller,
    client: Client,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { gateway, toolbox, callers } = this.deps;
    // The name comes from the client and goes into the audit trail.
    const caller = callers.asking(mcpCaller.caller, shown(name));
    const named = toolbox.find(name, mcpCaller);
    if (named instanceof Rejection) {
      const operation = toolbox.declared(name);
      if (operation === undefined) gateway.admissions.recordRefusal(caller, named);
      else await gateway.refuse(operation, caller, named);
      return rejectionResult(named, caller.requestId);
    }
    const given = readToolArguments(named, args);
    if (given instanceof Rejection) {
      // A caller that may not use the tool learns that, and nothing of its arguments. The trail has no texts of tools that take a secret.
      const refused = await gateway.call(named, caller, () => given);
      return rejectionResult(refused instanceof Rejection && refused.code !== given.code ? refused : given, caller.requestId);
    }
    if (given.apiKey !== undefined) {
      const other = gateway.identify(callerOf(caller, given, client.context.mcpReq.signal));
      if (!(other instanceof Rejection)) mcpCaller.answeredAs?.(other);
    }
    let waiting: Waiting | undefined;
    const onWaiting = (say: () => string, ms: number) => {
      waiting = { say, ms };
    };
    const call = await this.#understand({
      operation: named,
      reading: named,
      given,
      caller: { ...callerOf(caller, given, client.context.mcpReq.signal), onWaiting },
      mcpCaller,
      ...client,
    });
    if (given.cursor !== undefined) return this.#nextPage(call, given.cursor);
    if (given.preview) return this.#preview(call);
    const stopped = await this.deps.confirmation.before(call);
    return (
      stopped ??
      withProgress(
        client.context,
        () => waiting,
        () => this.#run(call),
      )
    );
  }

  /** Finds the operation, and the accounts that decoding the arguments needs. */
  async #understand(call: ToolCall): Promise<ToolCall> {
    const { operation, given, caller } = call;
    const { form, cardNum } = given;
    if (form !== undefined) return { ...call, ...form, caller: { ...caller, endpoint: form.operation.tool ?? caller.endpoint } };
    return cardNum === undefined ? call : { ...call, accounts: await this.deps.gateway.accountsFor(operation, caller) };
  }

  async #run(call: ToolCall): Promise<CallToolResult> {
    const { operation, caller } = call;
    let request: Message | undefined;
    const decode = () => {
      const decoded = decodeArguments(call);
      if (!(decoded instanceof Rejection)) request = decoded;
      return decoded;
    };
    const answer = await this.deps.gateway.call(operation, caller, decode);
    if (answer instanceof Rejection) return rejectionResult(answer, caller.requestId);
    if (answer.retType !== 0) return failureResult(answer, caller.requestId);
    const said: ExtraFields =
      request === undefined
        ? {}
        : { ...understood(operation, request), ...(await extraFields(this.deps.gateway, operation, request, answer)) };
    // A success may have a message too, about omitted parts.
    const additions: ExtraFields = answer.retMsg === '' ? said : { ...said, note: JSON.stringify(answer.retMsg) };
    return this.#write(call, answer, additions);
  }

  async #write(call: ToolCall, answer: ResponseMessage, additions: ExtraFields): Promise<CallToolResult> {
    const { gateway, pages } = this.deps;
    const { operation, given, caller, mcpCaller } = call;
    const whole = payloadOf(operation, answer) ?? create(operation.messages.S2CSchema);
    const payload = given.currency === undefined ? whole : inCurrency(operation, whole, given.currency);
    try {
      // An executed call is answered, even if the key is no longer valid.
      if (operation.effect !== 'read') return payloadResult(operation, payload, mcpCaller.int64, additions);
      const identity = given.apiKey === undefined ? mcpCaller.identity : gateway.identify(caller);
      if (identity instanceof Rejection) return rejectionResult(identity, caller.requestId);
      const { selection, limit, asObjects } = given;
      const table = asObjects === true ? undefined : tableOf(operation, payload, selection);
      const selected = selection === undefined ? payload : select(payload, selection);
      const page = await pages.first(selected, identity, operation, { limit, table });
      return page instanceof Rejection ? rejectionResult(page, caller.requestId) : pageResult(page, mcpCaller.int64, additions);
    } catch (thrown) {
      return rejectionResult(gateway.defect(caller, thrown), caller.requestId);
    }
  }

  #nextPage({ operation, caller, mcpCaller }: ToolCall, cursor: string): CallToolResult {
    const { gateway, pages } = this.deps;
    const identity = gateway.admissions.admit(operation, caller);
    if (identity instanceof Rejection) return rejectionResult(identity, caller.requestId);
    const page = pages.take(cursor, identity, operation);
    return page instanceof Rejection ? rejectionResult(page, caller.requestId) : pageResult(page, mcpCaller.int64, {});
  }

  async #preview(call: ToolCall): Promise<CallToolResult> {
    const { operation, caller, mcpCaller } = call;
    const preview = await this.deps.gateway.preview(operation, caller, () => decodeArguments(call));
    if (preview instanceof Rejection) return rejectionResult(preview, caller.requestId);
    if ('retType' in preview) return failureResult(preview, caller.requestId);
    return textResult((int64) => previewText(preview, int64), mcpCaller.int64);
  }
}

function pageResult({ operation, payload, table, page }: HandedPage, int64: Int64Format, additions: ExtraFields): CallToolResult {
  const said = page === undefined ? additions : { ...additions, [cutField(operation)]: JSON.stringify(page) };
  return payloadResult(operation, payload, int64, said, table);
}
