import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import type { JsonObject } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import { Rejection, type RejectionCode } from '@svc-gateway/contract/rejection';
import { readRequest } from '@svc-gateway/contract/request';
import { shown } from '@svc-gateway/contract/shown';
import { TOOL_PREFIX, wholeTool } from '@svc-gateway/contract/tools';
import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import { type Gateway, payloadOf } from '@svc-gateway/gateway';
import type { HttpCallers } from '../common/callers.js';
import type { McpCaller } from './mcp-caller.js';
import { type AccountKind, accountKinds, findKind, type ResourceKind, symbolKinds } from './resource-kinds.js';
import { type Failed, failureFields, rejectionFields } from './result.js';
import type { Toolbox } from './toolbox.js';

const JSON_TYPE = 'application/json';
const ACCOUNTS_URI = 'svc://accounts';

/** Resources that can be read and watched: quotes, accounts with their funds, positions and orders, and the tools' answers. */
export class Resources {
  constructor(
    readonly gateway: Gateway,
    readonly callers: HttpCallers,
    readonly toolbox: Toolbox,
  ) {}

  /** Lists the resources of the caller's accounts. Quotes are too many to list: see the templates. */
  async list(mcpCaller: McpCaller): Promise<ListResourcesResult> {
    if (!this.#mayUse(account.listAccounts, mcpCaller)) return { resources: [] };
    const resources: ListResourcesResult['resources'] = [
      { uri: ACCOUNTS_URI, name: 'accounts', title: 'Trading accounts', mimeType: JSON_TYPE },
    ];
    const accounts = await this.#accounts(mcpCaller);
    if (accounts instanceof Rejection) throw protocolError(accounts);
    for (const { accId, env } of accounts) {
      for (const kind of accountKinds) {
        if (!this.#mayUse(kind.operation, mcpCaller)) continue;
        resources.push({
          uri: `${kind.prefix}${accId}`,
          name: `${kind.name} ${accId}`,
          title: `${kind.title}, ${env} account ${accId}`,
          mimeType: JSON_TYPE,
        });
      }
    }
    return { resources };
  }

  templates(mcpCaller: McpCaller): ListResourceTemplatesResult {
    const kinds: readonly ResourceKind[] = [...symbolKinds, ...accountKinds];
    const resourceTemplates = kinds
      .filter(({ operation }) => this.#mayUse(operation, mcpCaller))
      .map(({ prefix, variable, name, title, description }) => ({
        uriTemplate: `${prefix}{${variable}}`,
        name,
        title,
        description,
        mimeType: JSON_TYPE,
      }));
    resourceTemplates.push({
      uriTemplate: `${TOOL_PREFIX}{tool}`,
      name: 'tool',
      title: 'A tool in full',
      description: 'The whole guide of a tool, all its arguments, and the JSON Schemas of its message and its answer.',
      mimeType: JSON_TYPE,
    });
    return { resourceTemplates };
  }

  async read(uri: string, mcpCaller: McpCaller): Promise<ReadResourceResult> {
    const text = await this.#text(uri, mcpCaller);
    if (text instanceof Rejection) throw protocolError(text);
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  }

  async #text(uri: string, mcpCaller: McpCaller): Promise<string | Rejection> {
    if (uri.startsWith(TOOL_PREFIX)) {
      const operation = this.toolbox.find(uri.slice(TOOL_PREFIX.length), mcpCaller);
      return operation instanceof Rejection ? operation : JSON.stringify(wholeTool(operation));
    }
    if (uri === ACCOUNTS_URI) return this.#ask(account.listAccounts, {}, uri, mcpCaller);
    const found = findKind(uri);
    if (found === undefined) throw notFound(uri);
    if (found instanceof Rejection) return found;
    const { kind, value } = found;
    if (kind.variable === 'symbol') return this.#ask(kind.operation, { symbol: value }, uri, mcpCaller);
    const header = await this.#headerOf(value, kind, mcpCaller);
    return header instanceof Rejection ? header : this.#ask(kind.operation, header, uri, mcpCaller);
  }

  /** Calls an operation as the caller and returns its payload as JSON text. */
  async #ask(operation: Operation, args: JsonObject, uri: string, mcpCaller: McpCaller): Promise<string | Rejection> {
    const caller = this.callers.asking(mcpCaller.caller, `resources/read ${shown(uri)}`);
    const answer = await this.gateway.call(operation, caller, () => readRequest(operation, 'mcp', args));
    if (answer instanceof Rejection) return answer;
    if (answer.retType !== 0) throw failureError(answer);
    const payload = payloadOf(operation, answer);
    return payload === undefined ? '{}' : messageWriter(operation.messages.S2CSchema, 'mcp', mcpCaller.int64)(payload as never);
  }

  /** Environment and a market of an account, which every account operation needs. */
  async #headerOf(accId: string, kind: AccountKind, mcpCaller: McpCaller): Promise<JsonObject | Rejection> {
    if (!this.#mayUse(account.listAccounts, mcpCaller)) {
      const refused = this.gateway.admissions.admit(kind.operation, this.callers.asking(mcpCaller.caller, `resources/read ${kind.prefix}`));
      if (refused instanceof Rejection) return refused;
    }
    const accounts = await this.#accounts(mcpCaller);
    if (accounts instanceof Rejection) return accounts;
    const found = accounts.find((each) => each.accId === accId);
    if (found === undefined) throw failureError({ retType: -1, retMsg: unknownAccountText(accId), errCode: UNKNOWN_ACCOUNT });
    return { acc_id: found.accId, env: found.env, market: found.market };
  }

  async #accounts(mcpCaller: McpCaller): Promise<readonly { accId: string; env: string; market: number }[] | Rejection> {
    const caller = this.callers.asking(mcpCaller.caller, 'resources/list');
    const answer = await this.gateway.call(account.listAccounts, caller, () => readRequest(account.listAccounts, 'mcp', {}));
    if (answer instanceof Rejection) return answer;
    return (payloadOf(account.listAccounts, answer)?.accList ?? []).map((found) => ({
      accId: String(found.accID),
      env: found.trdEnv === 0 ? 'simulate' : 'real',
      market: this.gateway.readingMarketOf(found, mcpCaller.identity),
    }));
  }

  #mayUse(operation: Operation, { caller, identity }: McpCaller): boolean {
    return this.gateway.mayUse(operation, caller, identity);
  }
}

/** A rejection as a protocol error, for methods without another form of refusal. Its data has the code, as errors of tools do. */
export function protocolError(rejection: Rejection): ProtocolError {
  const errorCode = rejection.kind.http >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  const { error, ...data } = rejectionFields(rejection);
  return new ProtocolError(errorCode, error, data);
}

/** The protocol's own error of an unknown address, with a code beside the address. */
function notFound(uri: string): ProtocolError {
  const { code, message } = new ResourceNotFoundError(uri);
  return new ProtocolError(code, message, { uri, code: 'route.not_found' satisfies RejectionCode });
}

/** The same of a refusal by the brokerage. */
function failureError(response: Failed): ProtocolError {
  const { error, ...data } = failureFields(response);
  return new ProtocolError(ProtocolErrorCode.InternalError, error, data);
}
