import type { KeyObject } from 'node:crypto';
import type { C2S as InitConnect } from '@svc-gateway/contract/generated/InitConnect_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { PushEvent } from '@svc-gateway/gateway/backend';
import { type Greeting, TcpEndpoint } from '@svc-gateway/interfaces/core';
import { Client } from './client.js';
import type { Connected } from './connected.js';
import type { EndpointServices } from './endpoint-services.js';

export interface EndpointServerOptions extends Omit<EndpointServices, 'clients'> {
  readonly host: string;
  /** Lets a client in, or says why not. */
  readonly greet: (c2s: InitConnect) => Omit<Greeting, 'open'> | Rejection;
  /** Clients that have it too are spoken to in cipher. */
  readonly rsaKey?: KeyObject;
  readonly connectionsMax?: number;
}

const INIT_CONNECT = 1001;

/** An endpoint: one listener of the public protocol's frames, and its connections. */
export class EndpointServer {
  readonly #services: EndpointServices;
  #endpoint: TcpEndpoint | undefined;
  #port = 0;
  /** Closed for good. */
  #closed = false;
  #stopListening: () => void = () => undefined;

  constructor(private readonly options: EndpointServerOptions) {
    this.#services = { ...options, clients: new Set() };
  }

  get name(): string {
    return this.options.name;
  }

  get host(): string {
    return this.options.host;
  }

  /** Bound port, or the last one. */
  get port(): number {
    return this.#port;
  }

  /** "127.0.0.1:11111". */
  get address(): string {
    return `${this.host}:${this.#port}`;
  }

  get clients(): ReadonlySet<Connected> {
    return this.#services.clients;
  }

  /** Opens the listener, at the port that it had before where none is named. Resolves to its port; rejects with the system's error. */
  async open(port = this.#port): Promise<number> {
    if (this.#endpoint !== undefined || this.#closed) return this.#port;
    const { clock, onDefect, rsaKey, connectionsMax, greet, host, backend } = this.options;
    const endpoint = new TcpEndpoint({
      service: {
        greet: async (_peer, c2s) => {
          const greeting = (await this.#disturbed()) ?? greet(c2s);
          return 'version' in greeting ? { ...greeting, open: (link) => new Client(this.#services, link) } : greeting;
        },
        refused: () => undefined,
      },
      clock,
      onDefect,
      ...(rsaKey === undefined ? {} : { rsaKey }),
      ...(connectionsMax === undefined ? {} : { maxConnections: connectionsMax }),
    });
    this.#endpoint = endpoint;
    try {
      this.#port = await endpoint.listen({ host, port });
    } catch (error) {
      this.#endpoint = undefined;
      await endpoint.close();
      throw error;
    }
    this.#stopListening = backend.onPush((event) => this.#pushed(event));
    return this.#port;
  }

  /** Answers what is under way, then ends every connection for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#shut();
  }

  async #shut(): Promise<void> {
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    this.#endpoint = undefined;
    await endpoint.finish();
    this.#stopListening();
    await endpoint.close();
  }

  /** As a process that dies: every connection is cut, and nobody gets in until it is opened again. */
  async down(): Promise<void> {
    this.cut();
    await this.#shut();
  }

  /** Cuts every connection. */
  cut(): void {
    for (const client of [...this.clients]) client.cut();
  }

  /** Applies an ordered fault to a handshake. One that is never answered ends by its deadline. */
  async #disturbed(): Promise<Rejection | undefined> {
    const { clock, faults, name } = this.options;
    const fault = faults.take('handshake', name, INIT_CONNECT);
    switch (fault?.kind) {
      case 'delay':
        await new Promise<void>((resolve) => clock.after(fault.ms, resolve));
        return undefined;
      case 'no_answer':
      case 'lost_request':
        return new Promise(() => undefined);
      case 'refuse':
        return new Rejection('backend.not_ready', fault.text);
    }
    return undefined;
  }

  /** Pushes to those of the connections that want it. */
  #pushed(event: PushEvent): void {
    const { subscriptions, rules } = this.options;
    if (rules.some((rule) => rule.withholds?.(event))) return;
    switch (event.type) {
      case 'quote':
        for (const client of [...subscriptions.listeners(event.stream)]) if (this.clients.has(client)) client.push(event);
        return;
      case 'trade':
        for (const client of this.clients) if (client.accounts.has(event.accId)) client.push(event);
        return;
      case 'notify':
        for (const client of this.clients) if (client.wantsNotices) client.push(event);
    }
  }
}
