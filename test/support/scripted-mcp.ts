import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from './until.js';

/** A request that came to the scripted gateway. */
export interface SeenRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly body: string;
  readonly response: ServerResponse;
  /** The client has closed the connection, or the answer is complete. */
  closed: boolean;
}

/** An MCP endpoint whose every answer the test writes. */
export class ScriptedMcp {
  readonly seen: SeenRequest[] = [];
  #server: Server | undefined;
  #port = 0;

  /** `answer` is called for each request, when its body is there; one that it leaves open stays so. */
  constructor(public answer: (request: SeenRequest) => void) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens; a second time on the port of the first. */
  async start(): Promise<void> {
    const server = createServer(async (request, response) => {
      const seen = { method: request.method ?? '', headers: request.headers, body: '', response, closed: false };
      response.on('close', () => {
        seen.closed = true;
      });
      seen.body = await text(request).catch(() => 'cut off');
      this.seen.push(seen);
      this.answer(seen);
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  /** The first request, from the `from`th on, of which this holds. */
  async request(what: string, holds: (request: SeenRequest) => boolean, from = 0): Promise<SeenRequest> {
    return until(() => this.seen.slice(from).find(holds), `the gateway to see ${what}`);
  }
}

/** Answers with JSON. */
export function answerJson({ response }: SeenRequest, body: string, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** Begins an event stream; its events are written by the test. */
export function beginStream({ response }: SeenRequest, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  response.flushHeaders();
  return response;
}
