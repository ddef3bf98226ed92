import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { classifyInboundRequest, type Server } from '@modelcontextprotocol/server';
import type { Clock } from '@svc-gateway/contract/clock';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { JsonValue } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations as declared } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { ALL_TOOLSETS, type Toolsets } from '@svc-gateway/contract/toolsets';
import type { Gateway } from '@svc-gateway/gateway';
import { HttpCallers } from '../common/callers.js';
import type { Exchange, Mount } from '../common/exchange.js';
import { int64Of } from '../common/format-headers.js';
import { bearerOf } from '../common/http.js';
import { Confirmation, type ConfirmMode } from './confirmation.js';
import { Finder } from './finder.js';
import { instructions } from './instructions.js';
import { longName } from './long-names.js';
import { type McpCaller, METHODS, PATH } from './mcp-caller.js';
import { PageStore } from './page-store.js';
import { Prompts } from './prompts.js';
import { Resources } from './resources.js';
import { createServer } from './server.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';
import { Stateless } from './stateless.js';
import { ToolCalls } from './tool-calls.js';
import { readToolsets, Toolbox } from './toolbox.js';
import { jsonRpcRefusal, writeWebResponse } from './web.js';

export interface McpOptions {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly version: string;
  /** Public address of the daemon's pages, without a trailing slash. */
  readonly publicUrl?: string;
  /** Served operations; all declared ones by default. */
  readonly operations?: readonly Operation[];
  /** The tools to offer; all by default. */
  readonly toolsets?: Toolsets;
  readonly confirm: ConfirmMode;
  readonly onError: (error: Error) => void;
}

export interface McpEndpoint {
  /** `/mcp` on the REST listener. */
  readonly mount: Mount;
  /** Number of open sessions. */
  readonly sessionCount: number;
  /** Ends sessions and streams. */
  close(): Promise<void>;
}

/**
 * The gateway as tools for language models, over Streamable HTTP. The official library does the protocol; here are
 * the caller, the body (parsed exactly: an account id has 18 digits), and the choice between the protocol's two ways.
 */
export function createLoadedEndpoint(options: McpOptions): McpEndpoint {
  const { gateway, clock, version, publicUrl, operations = declared, toolsets = ALL_TOOLSETS, confirm, onError } = options;
  const callers = new HttpCallers('mcp');
  const toolbox = new Toolbox(gateway, operations, toolsets);
  const confirmation = new Confirmation({ gateway, clock, mode: confirm });
  const calls = new ToolCalls({ gateway, toolbox, callers, pages: new PageStore({ clock }), confirmation });
  const resources = new Resources(gateway, callers, toolbox);
  const prompts = new Prompts(gateway, toolbox);
  const finder = new Finder(toolbox);
  const parts = { version, publicUrl, instructions: instructions(gateway), toolbox, finder, calls, confirmation, resources, prompts };
  const create = (session?: Session): Server => createServer(parts, session);
  const sessions = new Sessions({ gateway, callers, clock, createServer: create, onError });
  const stateless = new Stateless({ gateway, callers, createServer: () => create(), onError });

  const serve = async (exchange: Exchange, bytes: Buffer | undefined): Promise<Rejected | undefined> => {
    const { request, response } = exchange;
    const caller = callers.of(request, `${request.method} ${PATH}`, bearerOf(request.headers));
    const identity = gateway.identify(caller);
    if (identity instanceof Rejection) return { rejection: identity, caller };
    const wanted = readToolsets(request.headers['x-svc-toolsets']);
    if (wanted instanceof Rejection) return { rejection: wanted, caller };
    const int64 = int64Of(request.headers);
    if (int64 instanceof Rejection) return { rejection: int64, caller };
    const mcpCaller: McpCaller = { caller, identity, toolsets: wanted, int64 };
    const body = bytes === undefined || bytes.length === 0 ? undefined : readBody(bytes);
    if (body instanceof Rejection) {
      gateway.admissions.recordRefusal(caller, body);
      await writeWebResponse(jsonRpcRefusal(400, PARSE_ERROR, `Parse error: ${body.message}`), response, caller.requestId);
      return undefined;
    }
    const tooLong = longName(request.headers, body);
    if (tooLong !== undefined) {
      gateway.admissions.recordRefusal(caller, tooLong);
      await writeWebResponse(jsonRpcRefusal(400, INVALID_REQUEST, tooLong.message), response, caller.requestId);
      return undefined;
    }
    const rejection =
      body === undefined || hasSessions(request, body)
        ? await sessions.serve(exchange, body, mcpCaller)
        : await stateless.serve(exchange, body, mcpCaller);
    return rejection === undefined ? undefined : { rejection, caller };
  };

  return {
    mount: {
      path: PATH,
      methods: METHODS,
      serve(exchange, body, refuse) {
        serve(exchange, body).then(
          (rejected) => {
            if (rejected !== undefined) refuse(rejected.rejection, rejected.caller);
          },
          (thrown) => {
            const caller = callers.of(exchange.request, `${exchange.request.method} ${PATH}`, bearerOf(exchange.request.headers));
            if (exchange.response.headersSent) {
              gateway.defect(caller, thrown);
              exchange.response.destroy();
            } else refuse(gateway.defect(caller, thrown), caller);
          },
        );
      },
    },
    get sessionCount() {
      return sessions.count;
    },
    async close() {
      sessions.close();
      await stateless.close();
    },
  };
}

interface Rejected {
  readonly rejection: Rejection;
  readonly caller: McpCaller['caller'];
}

/** True for a message of a revision with sessions. An unclassifiable one is refused as in the newer revision. */
function hasSessions({ method = '', headers }: IncomingMessage, body: JsonValue): boolean {
  const [revision, methodHeader, name] = [headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name']];
  const { kind } = classifyInboundRequest({
    httpMethod: method,
    body,
    ...(revision === undefined ? {} : { protocolVersionHeader: String(revision) }),
    ...(methodHeader === undefined ? {} : { mcpMethodHeader: String(methodHeader) }),
    ...(name === undefined ? {} : { mcpNameHeader: String(name) }),
  });
  return kind === 'legacy';
}

const [PARSE_ERROR, INVALID_REQUEST] = [-32700, -32600];

function readBody(bytes: Buffer): JsonValue | Rejection {
  if (!isUtf8(bytes)) return new Rejection('request.malformed_json', 'the body is not UTF-8');
  const parsed = parseJson(bytes.toString());
  if (parsed.ok) return parsed.value;
  const { message, line, column } = parsed.error;
  return new Rejection('request.malformed_json', `malformed JSON, line ${line}, column ${column}: ${message}`);
}
