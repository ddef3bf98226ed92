import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { messageWriter } from '../../contract/json/message-json.js';
import type { JsonObject } from '../../contract/json/value.js';
import type { Operation } from '../../contract/operation.js';
import { account } from '../../contract/operations/index.js';
import { Rejection, rejectProblem } from '../../contract/rejection.js';
import { requestDecoder } from '../../contract/request.js';
import { shown } from '../../contract/shown.js';
import { TOOL_PREFIX, wholeTool } from '../../contract/tools.js';
import { type Gateway, payloadOf } from '../../gateway/index.js';
import type { HttpCallers } from '../common/callers.js';
import { type AccountKind, accountKinds, findKind, type ResourceKind, symbolKinds } from './resource-kinds.js';
import type { Toolbox } from './toolbox.js';
import type { Visitor } from './visitor.js';

const JSON_TYPE = 'application/json';
const ACCOUNTS_URI = 'svc://accounts';

/** What can be read, and watched, by address: quotes, accounts with their funds, positions and orders, and the tools' answers. */
export class Resources {
  constructor(
    readonly gateway: Gateway,
    readonly callers: HttpCallers,
    readonly toolbox: Toolbox,
  ) {}

  /** The addresses that are known without asking: the caller's accounts. Quotes are too many to list: see the templates. */
  async list(visitor: Visitor): Promise<ListResourcesResult> {
    if (!this.#mayUse(account.listAccounts, visitor)) return { resources: [] };
    const resources: ListResourcesResult['resources'] = [
      { uri: ACCOUNTS_URI, name: 'accounts', title: 'Trading accounts', mimeType: JSON_TYPE },
    ];
    const accounts = await this.#accounts(visitor);
    if (accounts instanceof Rejection) throw protocolError(accounts);
    for (const { accId, env } of accounts) {
      for (const kind of accountKinds) {
        if (!this.#mayUse(kind.operation, visitor)) continue;
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

  templates(visitor: Visitor): ListResourceTemplatesResult {
    const kinds: readonly ResourceKind[] = [...symbolKinds, ...accountKinds];
    const resourceTemplates = kinds
      .filter(({ operation }) => this.#mayUse(operation, visitor))
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

  async read(uri: string, visitor: Visitor): Promise<ReadResourceResult> {
    const text = await this.#text(uri, visitor);
    if (text instanceof Rejection) throw protocolError(text);
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  }

  async #text(uri: string, visitor: Visitor): Promise<string | Rejection> {
    if (uri.startsWith(TOOL_PREFIX)) {
      const operation = this.toolbox.find(uri.slice(TOOL_PREFIX.length), visitor);
      return operation instanceof Rejection ? operation : JSON.stringify(wholeTool(operation));
    }
    if (uri === ACCOUNTS_URI) return this.#ask(account.listAccounts, {}, uri, visitor);
    const found = findKind(uri);
    if (found === undefined) throw new ResourceNotFoundError(uri);
    if (found instanceof Rejection) return found;
    const { kind, value } = found;
    if (kind.variable === 'symbol') return this.#ask(kind.operation, { symbol: value }, uri, visitor);
    const header = await this.#headerOf(value, kind, visitor);
    return header instanceof Rejection ? header : this.#ask(kind.operation, header, uri, visitor);
  }

  /** Asks an operation as the visitor, and gives its payload as JSON text. */
  async #ask(operation: Operation, args: JsonObject, uri: string, visitor: Visitor): Promise<string | Rejection> {
    const caller = this.callers.asking(visitor.caller, `resources/read ${shown(uri)}`);
    const answer = await this.gateway.call(operation, caller, () => {
      const decoded = requestDecoder(operation, 'mcp')(args);
      return decoded.ok ? decoded.value : rejectProblem(decoded.problem);
    });
    if (answer instanceof Rejection) return answer;
    if (answer.retType !== 0) throw new ProtocolError(ProtocolErrorCode.InternalError, `backend proto error: ${answer.retMsg}`);
    const payload = payloadOf(operation, answer);
    return payload === undefined ? '{}' : messageWriter(operation.messages.S2CSchema, 'mcp', visitor.int64)(payload as never);
  }

  /** The environment and a market of an account, which every account operation wants to know. */
  async #headerOf(accId: string, kind: AccountKind, visitor: Visitor): Promise<JsonObject | Rejection> {
    if (!this.#mayUse(account.listAccounts, visitor)) {
      const refused = this.gateway.admit(kind.operation, this.callers.asking(visitor.caller, `resources/read ${kind.prefix}`));
      if (refused instanceof Rejection) return refused;
    }
    const accounts = await this.#accounts(visitor);
    if (accounts instanceof Rejection) return accounts;
    const found = accounts.find((each) => each.accId === accId);
    if (found === undefined) return new Rejection('request.invalid', `acc_id: unknown account ${shown(accId)}; see ${ACCOUNTS_URI}`);
    return { acc_id: found.accId, env: found.env, market: found.market };
  }

  async #accounts(visitor: Visitor): Promise<readonly { accId: string; env: string; market: number }[] | Rejection> {
    const caller = this.callers.asking(visitor.caller, 'resources/list');
    const answer = await this.gateway.call(account.listAccounts, caller, () => {
      const decoded = requestDecoder(account.listAccounts, 'mcp')({});
      return decoded.ok ? decoded.value : rejectProblem(decoded.problem);
    });
    if (answer instanceof Rejection) return answer;
    return (payloadOf(account.listAccounts, answer)?.accList ?? []).map((found) => ({
      accId: String(found.accID),
      env: found.trdEnv === 0 ? 'simulate' : 'real',
      market: this.gateway.readingMarketOf(found, visitor.identity),
    }));
  }

  #mayUse(operation: Operation, { caller, identity }: Visitor): boolean {
    return this.gateway.mayUse(operation, caller, identity);
  }
}

/** A refusal as the protocol's own error, for methods that have no other way to say no. */
export function protocolError({ kind, code, message }: Rejection): ProtocolError {
  const prefix = kind.tool === undefined || message.startsWith(kind.tool) ? '' : `${kind.tool}: `;
  const errorCode = kind.http >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(errorCode, `${prefix}${message}`, { code });
}
