import { Client, type ClientOptions, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { trustingFetch } from './trusting-fetch.js';
import { until } from './until.js';

/** The protocol's two ways: sessions (revisions up to 2025-11-25), and requests by themselves (2026-07-28). */
export type Way = 'sessions' | 'stateless';
export const ways: readonly Way[] = ['sessions', 'stateless'];

export interface McpSite {
  readonly url: string;
  readonly ca?: string | undefined;
}

export interface McpClientOptions {
  readonly way?: Way;
  readonly keyText?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly client?: ClientOptions;
  /** Called before it connects. */
  readonly prepare?: (client: Client) => void;
}

/** A person, to whom a client puts the questions of a gateway. */
export class Person {
  readonly questions: string[] = [];

  constructor(public answer: () => ElicitResult | Promise<ElicitResult> = Person.agrees) {}

  static readonly agrees = (): ElicitResult => ({ action: 'accept', content: { confirm: true } });
  static readonly declines = (): ElicitResult => ({ action: 'decline' });

  /** Options of a client that asks this person. */
  get options(): Required<Pick<McpClientOptions, 'client' | 'prepare'>> {
    return {
      client: { capabilities: { elicitation: { form: {} } } },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', async ({ params }) => {
          this.questions.push(params.message);
          return this.answer();
        }),
    };
  }
}

/** Options of a client that hands on the questions of a gateway as they come. */
export const unanswered: ClientOptions = { capabilities: { elicitation: { form: {} } }, inputRequired: { autoFulfill: false } };

/** A notification as it came. */
export interface Notice {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** A tool's answer. */
export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  /** The text, parsed as a client's JSON parser does it. */
  readonly json: Record<string, unknown>;
  readonly structured: Record<string, unknown> | undefined;
}

/** The official client, connected to a daemon under test. */
export class McpClient {
  readonly notices: Notice[] = [];

  private constructor(
    readonly client: Client,
    readonly transport: StreamableHTTPClientTransport,
  ) {
    client.fallbackNotificationHandler = async (notification) => {
      this.notices.push(notification as Notice);
    };
  }

  static async open({ url, ca }: McpSite, options: McpClientOptions = {}): Promise<McpClient> {
    const { way = 'sessions', keyText, headers = {}, client: clientOptions = {} } = options;
    const versionNegotiation = { mode: way === 'stateless' ? { pin: '2026-07-28' } : ('legacy' as const) };
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation, ...clientOptions });
    const authorization: Record<string, string> = keyText === undefined ? {} : { authorization: `Bearer ${keyText}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      fetch: trustingFetch(ca),
      requestInit: { headers: { ...authorization, ...headers } },
    });
    const opened = new McpClient(client, transport);
    options.prepare?.(client);
    await client.connect(transport);
    return opened;
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    const result = await this.client.callTool({ name, arguments: args });
    const [first] = result.content as { type: string; text: string }[];
    const text = first?.text ?? '';
    return {
      isError: result.isError === true,
      text,
      json: JSON.parse(text),
      structured: result.structuredContent as Record<string, unknown> | undefined,
    };
  }

  /** Calls a tool without fulfilling what it asks for; `more` goes into the request's parameters. */
  async askRaw(name: string, args: Record<string, unknown>, more: Record<string, unknown> | undefined): Promise<Record<string, unknown>> {
    const result = await this.client.callTool({ name, arguments: args, ...more }, { allowInputRequired: true });
    return result as Record<string, unknown>;
  }

  /** The live events so far, as their frames. */
  frames(): Record<string, unknown>[] {
    return this.notices.flatMap(({ method, params }) => (method === 'notifications/svc/push' && params !== undefined ? [params] : []));
  }

  /** Waits for so many live events of a kind. */
  pushed(wanted: (frame: Record<string, unknown>) => boolean, count: number): Promise<Record<string, unknown>[]> {
    return until(() => {
      const found = this.frames().filter(wanted);
      return found.length >= count && found;
    }, `${count} live events`);
  }

  async toolNames(): Promise<string[]> {
    return (await this.client.listTools()).tools.map((tool) => tool.name);
  }

  /** Ends the session, as a client that is done with it should. */
  async close(): Promise<void> {
    await this.transport.terminateSession().catch(() => undefined);
    await this.client.close();
  }
}
