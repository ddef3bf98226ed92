import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { checkAgainstOpenApi } from './openapi-check.js';

/** A daemon's answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as an ordinary client reads it: 64-bit integers may lose digits. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on what came, whatever it is.
  readonly json: any;
}

export interface RequestOptions {
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as it is when text or bytes, else as JSON. */
  readonly body?: unknown;
}

/**
 * A client that opens a connection a request, as the simplest of scripts do. Every answer is held against the OpenAPI document:
 * one that contradicts it rejects.
 */
export class HttpClient {
  constructor(
    readonly url: string,
    private readonly ca: string | undefined,
    private readonly key: string | undefined,
  ) {}

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }

  post(path: string, body: unknown = {}, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.request('POST', path, { body, headers });
  }

  /** A POST that must succeed: the payload. */
  // biome-ignore lint/suspicious/noExplicitAny: see Answer.json.
  async s2c(path: string, body: unknown = {}, headers: OutgoingHttpHeaders = {}): Promise<any> {
    const answer = await this.post(path, body, headers);
    if (answer.status !== 200 || answer.json.ret_type !== 0) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return answer.json.s2c;
  }

  request(method: string, path: string, { headers = {}, body }: RequestOptions): Promise<Answer> {
    const url = new URL(path, this.url);
    const options = {
      method,
      agent: false,
      headers: { ...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }), ...headers },
      ...(this.ca === undefined ? {} : { ca: this.ca, servername: 'localhost' }),
    } as const;
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const answer: Answer = { status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) };
          try {
            // The document shows enumerations as numbers.
            if (headers['x-svc-enums'] === undefined) {
              checkAgainstOpenApi(method, path, { ...answer, contentType: response.headers['content-type'] ?? '' });
            }
            resolve(answer);
          } catch (contradiction) {
            reject(contradiction);
          }
        });
      });
      request.on('error', reject);
      request.end(bytesOf(body));
    });
  }
}

function bytesOf(body: unknown): string | Uint8Array | undefined {
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
