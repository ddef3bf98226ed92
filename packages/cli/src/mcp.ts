import { err, ok, type Result } from '@svc-gateway/access';
import { namesInList, toolsetNames, unknownToolset } from '@svc-gateway/contract/toolsets';
import { Command, Option } from 'commander';
import { EXIT_FAILED } from './command-line.js';
import { exitStatus } from './exit-status.js';
import { Endpoint } from './mcp/endpoint.js';
import { OutputLines } from './mcp/output-lines.js';
import { addressOf, resolveTarget, type Target, type TargetOptions, withTargetOptions } from './target.js';
import type { Terminal } from './terminal.js';

/** A gateway that runs in this process. */
export interface EmbeddedGateway {
  readonly target: Target;
  stop(): Promise<void>;
}

/** Starts the simulated brokerage in this process. The error is the reason why it cannot start. */
export type StartEmbedded = (env: Readonly<Record<string, string | undefined>>) => Promise<Result<EmbeddedGateway, string>>;

interface McpOptions extends TargetOptions {
  readonly toolsets?: string;
  readonly embedded?: true;
}

/** `svcctl mcp`: the gateway as an MCP server on stdin and stdout. */
export function mcpCommand(terminal: Terminal, startEmbedded: StartEmbedded): Command {
  const command = withTargetOptions(new Command('mcp'))
    .description('serve MCP on standard input and output, for AI clients')
    .option(
      '--toolsets <list>',
      `offer only these toolsets, separated by commas: ${toolsetNames.join(', ')} (default: all that the key may use)`,
    )
    .addOption(
      new Option('--embedded', 'run a simulated brokerage in this process, in place of a daemon').conflicts([
        'restUrl',
        'apiKey',
        'caFile',
      ]),
    )
    .addHelpText('after', helpText);
  return command.action(async (options: McpOptions) => {
    const toolsets = options.toolsets === undefined ? ok(undefined) : readToolsets(options.toolsets);
    if (!toolsets.ok) return command.error(`error: ${toolsets.error}`, { exitCode: exitStatus.usage });
    const interruption = new AbortController();
    const restore = terminal.onInterrupt(() => interruption.abort());
    const restoreOutput = terminal.onOutputClosed(() => interruption.abort());
    const gateway = options.embedded ? await startEmbedded(terminal.env) : ok(undefined);
    try {
      if (!gateway.ok) return command.error(`error: ${gateway.error}`, { exitCode: EXIT_FAILED });
      const own = gateway.value?.target;
      const findTarget = own === undefined ? () => resolveTarget(options, terminal.env) : () => ok(own);
      const target = findTarget();
      if (!target.ok) return command.error(`error: ${target.error}`, { exitCode: exitStatus.usage });
      const explain = (line: string) => terminal.explain(`svcctl mcp: ${line}\n`);
      explain(`passing MCP messages between standard input and output and ${addressOf(target.value.url, '/mcp').href}`);
      const endpoint = new Endpoint({ findTarget, toolsets: toolsets.value, explain });
      // Loaded when it is asked for: the protocol library takes longer to load than the other commands to run.
      const { Bridge } = await import('./mcp/bridge.js');
      await new Bridge({ endpoint, explain, output: new OutputLines(terminal) }).run(terminal.stdin(), interruption.signal);
    } finally {
      if (gateway.ok) await gateway.value?.stop();
      restoreOutput();
      restore();
    }
  });
}

function readToolsets(text: string): Result<string, string> {
  const names = namesInList(text);
  const unknown = unknownToolset(names);
  if (unknown === undefined) return ok(names.join(','));
  return err(`--toolsets: unknown toolset ${JSON.stringify(unknown)}, accepted: ${toolsetNames.join(', ')}`);
}

const helpText = `
MCP clients start this command themselves. Add it to the client's configuration:
  {"mcpServers":{"svc":{"command":"svcctl","args":["mcp"],"env":{"SVC_API_KEY":"svc_…"}}}}
Clients that speak HTTP need no command: point them at <rest-url>/mcp, with the key as Bearer token.
While the daemon is down, requests fail with "gateway connect failed"; they work again as soon as it is up.`;
