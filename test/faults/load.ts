import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { TestSite } from '../support/daemon.js';

/** A place-order request: its remark is its idempotency key too, and names its order for good. */
export interface Placement {
  readonly key: string;
  readonly body: { readonly remark: string } & Readonly<Record<string, unknown>>;
}

/** A client's record of a request that it sent; `answer` is missing when the connection broke first. */
export interface Attempt extends Placement {
  readonly connection: number;
  readonly answer?: { readonly status: number; readonly text: string };
}

export interface Load {
  /** Ends when the orders run out, or each connection has met a broken socket. */
  readonly finished: Promise<readonly Attempt[]>;
}

/** Clients that place orders one after the other, each over a keep-alive connection of its own. */
export function placeConcurrently<Id extends string>(
  site: TestSite<Id>,
  keyOf: (connection: number) => Id,
  next: (connection: number) => Placement | undefined,
  { connections, onAnswer = () => undefined }: { connections: number; onAnswer?: (attempt: Attempt) => void },
): Load {
  const attempts: Attempt[] = [];
  const client = async (connection: number) => {
    const line = new KeepAliveLine(site, site.keys[keyOf(connection)]);
    try {
      for (let placement = next(connection); placement !== undefined; placement = next(connection)) {
        const sent = { ...placement, connection };
        const attempt: Attempt = await line.place(placement).then(
          (answer) => ({ ...sent, answer }),
          () => sent,
        );
        attempts.push(attempt);
        if (attempt.answer === undefined) return;
        onAnswer(attempt);
      }
    } finally {
      line.close();
    }
  };
  const clients = Array.from({ length: connections }, (_, connection) => client(connection));
  return { finished: Promise.all(clients).then(() => attempts) };
}

/** One keep-alive connection of a caller. 64-bit integers come as text. */
export class KeepAliveLine {
  readonly #agent: HttpAgent;
  readonly #https: boolean;

  constructor(
    private readonly site: TestSite,
    private readonly keyText: string | undefined,
  ) {
    this.#https = site.url.startsWith('https:');
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#https ? new HttpsAgent({ ...options, ca: site.ca, servername: 'localhost' }) : new HttpAgent(options);
  }

  place({ key, body }: Placement): Promise<{ status: number; text: string }> {
    return this.post('/api/order', body, { 'idempotency-key': key });
  }

  /** Rejects when the connection breaks before the whole answer has come. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = (this.#https ? httpsRequest : httpRequest)(
        new URL(path, this.site.url),
        {
          method: 'POST',
          agent: this.#agent,
          headers: {
            ...(this.keyText === undefined ? {} : { authorization: `Bearer ${this.keyText}` }),
            'content-length': Buffer.byteLength(text),
            'x-svc-int64': 'string',
            ...headers,
          },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
        },
      );
      request.on('error', reject);
      request.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The order id of an accepted placement. */
export function acknowledgedId({ answer }: Pick<Attempt, 'answer'>): string | undefined {
  if (answer?.status !== 200) return undefined;
  const { ret_type, s2c } = JSON.parse(answer.text) as { ret_type: number; s2c?: { order_id?: string } };
  return ret_type === 0 ? s2c?.order_id : undefined;
}

/** The machine-readable code of a refusal. */
export function refusalCode({ answer }: Pick<Attempt, 'answer'>): string | undefined {
  if (answer === undefined) return undefined;
  return (JSON.parse(answer.text) as { code?: string }).code;
}
