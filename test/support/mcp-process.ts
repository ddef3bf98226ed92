import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Notice, Way } from './mcp-client.js';
import { until } from './until.js';

const svcctl = join(import.meta.dirname, '..', '..', 'bin', 'svcctl');

export interface McpProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The binary of Node that runs it; by default this process's own. */
  readonly node?: string;
  readonly client?: ClientOptions;
  /** Called before the client connects. */
  readonly prepare?: (client: Client) => void;
}

/** The official client with a `bin/svcctl mcp` that it started. */
export class McpProcessClient {
  readonly notices: Notice[] = [];
  stderr = '';

  private constructor(
    readonly client: Client,
    readonly transport: StdioClientTransport,
  ) {
    client.fallbackNotificationHandler = async (notification) => {
      this.notices.push(notification as Notice);
    };
    transport.stderr?.on('data', (part: Buffer) => {
      this.stderr += part.toString();
    });
  }

  static async open(
    way: Way,
    { env, args = [], node = process.execPath, client: options = {}, prepare }: McpProcessOptions,
  ): Promise<McpProcessClient> {
    const versionNegotiation = { mode: way === 'stateless' ? { pin: '2026-07-28' } : ('legacy' as const) };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation, ...options });
    const transport = new StdioClientTransport({
      command: node,
      args: [svcctl, 'mcp', ...args],
      env: { ...env },
      stderr: 'pipe',
    });
    const opened = new McpProcessClient(client, transport);
    prepare?.(client);
    await client.connect(transport);
    return opened;
  }

  /** The text of a tool's answer, as it came. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { content } = await this.client.callTool({ name, arguments: args });
    return (content as { text: string }[])[0]?.text ?? '';
  }

  /** Waits for a notification. */
  notice(what: string, wanted: (notice: Notice) => boolean): Promise<Notice> {
    return until(() => this.notices.find(wanted), what);
  }
}

/** `bin/svcctl mcp` with a test at its standard input and output. */
export class McpProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #ended: Promise<unknown[]>;

  constructor({ env, args = [] }: Pick<McpProcessOptions, 'env' | 'args'>) {
    this.child = spawn(process.execPath, [svcctl, 'mcp', ...args], { env: { PATH: process.env.PATH, ...env } });
    this.child.stdout?.on('data', (part: Buffer) => {
      this.stdout += part.toString();
    });
    this.child.stderr?.on('data', (part: Buffer) => {
      this.stderr += part.toString();
    });
    this.#ended = once(this.child, 'exit');
  }

  send(...lines: string[]): void {
    for (const line of lines) this.child.stdin?.write(`${line}\n`);
  }

  end(): void {
    this.child.stdin?.end();
  }

  said(text: string): Promise<boolean> {
    return until(() => this.stderr.includes(text), `"${text}" on standard error, where there is: ${this.stderr}`);
  }

  printed(text: string): Promise<boolean> {
    return until(() => this.stdout.includes(text), `"${text}" on standard output, where there is: ${this.stdout}`);
  }

  /** The exit status, or the signal that ended it. */
  async status(): Promise<unknown> {
    const [status, signal] = await this.#ended;
    return status ?? signal;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.#ended;
  }
}
