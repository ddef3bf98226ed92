import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a login service got. */
export interface AuthorityRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what came, whatever it is.
  readonly body: any;
}

/** An object is answered as JSON, text as it is, a number as an empty answer of this status; or nothing at all. */
export type AuthorityAnswer = object | string | number | 'silence';

/** A login service that answers what a test has written: each answer once, the last one again and again. */
export class ScriptedAuthority {
  readonly requests: AuthorityRequest[] = [];
  readonly #server: Server;
  readonly #waiting: (() => void)[] = [];
  /** Answers of `/authority/`. */
  logins: AuthorityAnswer[] = [];
  /** Answers of `/authority/device-code`. */
  codes: AuthorityAnswer[] = [{ ret_type: 0, phone_no: '+852 9123 4567' }];

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? '';
      this.requests.push({ path, headers: request.headers, body: JSON.parse(await text(request)) });
      const script = path.endsWith('/device-code') ? this.codes : this.logins;
      const next = script.length > 1 ? script.shift() : script[0];
      for (const wake of this.#waiting.splice(0)) wake();
      const answer = await next;
      if (answer === 'silence' || answer === undefined) return;
      if (typeof answer === 'number') response.writeHead(answer, { 'retry-after': '7' }).end();
      else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
  }

  static async start(...logins: AuthorityAnswer[]): Promise<ScriptedAuthority> {
    const authority = new ScriptedAuthority();
    authority.logins = logins;
    await new Promise<void>((resolve) => authority.#server.listen(0, '127.0.0.1', resolve));
    return authority;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Login requests. */
  get asked(): AuthorityRequest[] {
    return this.requests.filter(({ path }) => path.endsWith('/authority/'));
  }

  /** Resolves when so many requests have come. */
  async came(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A login grant, with connection points where nobody listens unless a test names others. */
export function grantOf(fields: object = {}): object {
  return {
    ret_type: 0,
    tgtgt: 'ticket-1',
    user_id: '9007199254740993',
    session_key: 'session-1',
    platform: { host: '127.0.0.1', port: 1 },
    brokers: [{ broker_id: 1001, name: 'HK Securities', host: '127.0.0.1', port: 2 }],
    ...fields,
  };
}
