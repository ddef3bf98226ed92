import type { TrdAcc } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { BrokerSnapshot } from '@svc-gateway/gateway';
import type { ProtocolClient } from '@svc-gateway/protocol-client';
import { type ConnectionDeps, EndpointConnection } from './endpoint-connection.js';
import type { BrokerEndpoint } from './login-answer.js';

/** One broker of a login: its connection, and the accounts that are traded over it. */
export class Broker {
  readonly connection: EndpointConnection;
  readonly client: ProtocolClient;
  readonly #id: number;
  readonly #name: string;

  constructor({ brokerId, name }: BrokerEndpoint, deps: ConnectionDeps) {
    this.#id = brokerId;
    this.#name = name;
    this.connection = new EndpointConnection(deps, {
      point: `broker ${brokerId}`,
      label: name,
      role: 'trading',
      endpointIn: ({ brokers }) => brokers.find((broker) => broker.brokerId === brokerId),
    });
    this.client = this.connection.client;
  }

  /** Accounts that it listed last; undefined while it never did. */
  get accounts(): readonly TrdAcc[] | undefined {
    return this.client.accounts;
  }

  get snapshot(): BrokerSnapshot {
    return { brokerId: this.#id, name: this.#name, ...this.connection.snapshot };
  }

  has(accId: bigint): boolean {
    return this.accounts?.some(({ accID }) => accID === accId) ?? false;
  }
}
