import { type ClientCapabilities, Server } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../contract/json/value.js';
import type { Rejection } from '../../contract/rejection.js';
import { visitorOf } from './auth-info.js';
import type { Confirmation } from './confirmation.js';
import type { Prompts } from './prompts.js';
import { protocolError, type Resources } from './resources.js';
import type { ToolCalls } from './tool-call.js';
import type { Toolbox } from './toolbox.js';
import type { Visitor } from './visitor.js';

export interface ServerParts {
  readonly version: string;
  /** What a model is told before anything else. */
  readonly instructions: string;
  readonly toolbox: Toolbox;
  readonly calls: ToolCalls;
  readonly confirmation: Confirmation;
  readonly resources: Resources;
  readonly prompts: Prompts;
}

/** What a session can watch; without one, watching is a matter of the listening stream. */
export interface Watching {
  watch(uri: string, visitor: Visitor): Promise<Rejection | undefined>;
  unwatch(uri: string, visitor: Visitor): Promise<void>;
}

/**
 * The protocol's server for one session, or for one request where the revision has no sessions: it joins the protocol's
 * methods to what answers them.
 */
export function createServer(parts: ServerParts, watching?: Watching): Server {
  const { version, instructions, toolbox, calls, confirmation, resources, prompts } = parts;
  const server = new Server(
    { name: 'svc-gateway', title: 'Trading and market-data gateway', version },
    {
      instructions,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: {} },
      requestState: { verify: (state, context) => confirmation.verify(state, context) },
    },
  );
  server.setRequestHandler('tools/list', (_request, context) => ({ tools: toolbox.list(visitorOf(context)) }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    // The arguments come from our own parser: see endpoint.ts.
    calls.call(params.name, params.arguments as JsonObject | undefined, visitorOf(context), {
      context,
      elicits: canAskPeople(server.getClientCapabilities()),
    }),
  );
  server.setRequestHandler('resources/list', (_request, context) => resources.list(visitorOf(context)));
  server.setRequestHandler('resources/templates/list', (_request, context) => resources.templates(visitorOf(context)));
  server.setRequestHandler('resources/read', ({ params }, context) => resources.read(params.uri, visitorOf(context)));
  server.setRequestHandler('prompts/list', (_request, context) => prompts.list(visitorOf(context)));
  server.setRequestHandler('prompts/get', ({ params }, context) => prompts.get(params.name, params.arguments ?? {}, visitorOf(context)));
  if (watching !== undefined) {
    server.setRequestHandler('resources/subscribe', async ({ params }, context) => {
      const refused = await watching.watch(params.uri, visitorOf(context));
      if (refused !== undefined) throw protocolError(refused);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', async ({ params }, context) => {
      await watching.unwatch(params.uri, visitorOf(context));
      return {};
    });
  }
  return server;
}

/** Whether the client said that it can put a form to a person; an empty object means forms, as it did before there was more. */
function canAskPeople(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
