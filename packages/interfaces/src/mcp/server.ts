import { type ClientCapabilities, Server } from '@modelcontextprotocol/server';
import type { JsonObject } from '@svc-gateway/contract/json/value';
import { mcpCallerOf } from './auth-info.js';
import type { Confirmation } from './confirmation.js';
import type { Finder } from './finder.js';
import type { Prompts } from './prompts.js';
import { protocolError, type Resources } from './resources.js';
import type { Session } from './session.js';
import type { ToolCalls } from './tool-calls.js';
import type { Toolbox } from './toolbox.js';

export interface ServerDeps {
  readonly version: string;
  readonly publicUrl: string | undefined;
  /** Introduction that a model reads first. */
  readonly instructions: string;
  readonly toolbox: Toolbox;
  readonly finder: Finder;
  readonly calls: ToolCalls;
  readonly confirmation: Confirmation;
  readonly resources: Resources;
  readonly prompts: Prompts;
}

/**
 * The protocol's server for one session, or for one request where the revision has no sessions: it joins the protocol's
 * methods to their handlers.
 */
export function createServer(deps: ServerDeps, session?: Session): Server {
  const { version, publicUrl, instructions, toolbox, finder, calls, confirmation, resources, prompts } = deps;
  const server = new Server(
    {
      ...{ name: 'svc-gateway', title: 'Trading and market-data gateway', version },
      ...(publicUrl === undefined ? {} : { websiteUrl: `${publicUrl}/docs` }),
    },
    {
      instructions,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: {} },
      requestState: { verify: (state, context) => confirmation.verify(state, context) },
    },
  );
  server.setRequestHandler('tools/list', (_request, context) => {
    const mcpCaller = mcpCallerOf(context);
    return { tools: toolbox.isDynamic(mcpCaller) ? finder.list(mcpCaller, session) : toolbox.list(mcpCaller) };
  });
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const mcpCaller = mcpCallerOf(context);
    const call = (name: string, args: JsonObject | undefined) =>
      calls.call(name, args, mcpCaller, { context, elicits: canAskPeople(server.getClientCapabilities()) });
    // The arguments come from our own parser: see endpoint.ts.
    const args = params.arguments as JsonObject | undefined;
    return toolbox.isDynamic(mcpCaller) && finder.has(params.name)
      ? finder.call(params.name, args, { mcpCaller, session, call })
      : call(params.name, args);
  });
  server.setRequestHandler('resources/list', (_request, context) => resources.list(mcpCallerOf(context)));
  server.setRequestHandler('resources/templates/list', (_request, context) => resources.templates(mcpCallerOf(context)));
  server.setRequestHandler('resources/read', ({ params }, context) => resources.read(params.uri, mcpCallerOf(context)));
  server.setRequestHandler('prompts/list', (_request, context) => prompts.list(mcpCallerOf(context)));
  server.setRequestHandler('prompts/get', ({ params }, context) => prompts.get(params.name, params.arguments ?? {}, mcpCallerOf(context)));
  if (session !== undefined) {
    server.setRequestHandler('resources/subscribe', async ({ params }, context) => {
      const refused = await session.watch(params.uri, mcpCallerOf(context));
      if (refused !== undefined) throw protocolError(refused);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', async ({ params }, context) => {
      await session.unwatch(params.uri, mcpCallerOf(context));
      return {};
    });
  }
  return server;
}

/** True if the client can show a form to a person; an empty object means forms, as in the first revision. */
function canAskPeople(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
