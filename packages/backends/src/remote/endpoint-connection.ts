import type { KeyObject } from 'node:crypto';
import type { Clock } from '@svc-gateway/contract/clock';
import type { LifecycleSnapshot, Logger } from '@svc-gateway/gateway';
import {
  addressOf,
  ConnectFailure,
  type Dial,
  type Endpoint,
  HandshakeRefused,
  ProtocolClient,
  type Role,
  unknownRules,
} from '@svc-gateway/protocol-client';
import type { Login } from './login.js';
import type { LoginGrant } from './login-answer.js';

/** Dependencies that the connections of one login share. */
export interface ConnectionDeps {
  readonly login: Login;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly dial: Dial;
  /** The private key that the brokerage has too: what passes between them is encrypted. */
  readonly rsaKey: KeyObject | undefined;
  readonly logger: Logger;
  /** Called with the login in force before a connection is made under it. */
  readonly onGrant: (grant: LoginGrant) => void;
}

interface EndpointConnectionOptions {
  /** Endpoint in log lines: "the platform", "broker 1001". */
  readonly point: string;
  /** Endpoint in reasons for gaps: "the platform", or a broker's name. */
  readonly label: string;
  readonly role: Role;
  /** Address of the endpoint by a login; undefined where the login does not name it any more. */
  readonly endpointIn: (grant: LoginGrant) => Endpoint | undefined;
}

/**
 * The connection to the platform or to a broker. It is made where the login says that the endpoint is, under the session that the
 * login gave; a session that is refused is forgotten, so that the next try logs in anew.
 */
export class EndpointConnection {
  readonly client: ProtocolClient;
  readonly label: string;
  readonly #deps: ConnectionDeps;
  readonly #options: EndpointConnectionOptions;
  #grant: LoginGrant | undefined;
  /** Address of the connection, or of the try under way. */
  #address = '';

  constructor(deps: ConnectionDeps, options: EndpointConnectionOptions) {
    const { login, onGrant: _, ...shared } = deps;
    const { point, label, role } = options;
    this.label = label;
    this.#deps = deps;
    this.#options = options;
    const withSession = (report: (sessionKey: string) => void) => {
      if (this.#grant !== undefined) report(this.#grant.sessionKey);
    };
    this.client = new ProtocolClient({
      ...shared,
      name: 'remote',
      server: 'the brokerage',
      logDetails: { point },
      label,
      ownAccountsOnly: true,
      roles: [role],
      endpoint: () => this.#endpoint(),
      clientId: () => `svc:${this.#grant?.sessionKey ?? ''}`,
      rules: unknownRules,
      missingLogin: 'reconnect',
      onAccepted: () => withSession((key) => login.accepted(key)),
      onConnectFailed: (failure) => {
        if (failure instanceof HandshakeRefused) withSession((key) => login.refused(key));
      },
      // Some expired sessions are still accepted but carry no data.
      onUseless: () => withSession((key) => login.refused(key)),
    });
  }

  get snapshot(): LifecycleSnapshot {
    return this.client.snapshot(this.#options.role);
  }

  /** Goes where this login says: a connection elsewhere is given up. */
  follow(grant: LoginGrant): void {
    const { session } = this.client;
    const endpoint = this.#options.endpointIn(grant);
    if (session.lifecycle.state === 'idle') session.start();
    this.retry();
    if (endpoint !== undefined && this.#address !== '' && addressOf(endpoint) !== this.#address) {
      session.renew(`the login names ${addressOf(endpoint)} in place of ${this.#address}`);
    }
  }

  /** Tries once more after a failure that only an operator could end. */
  retry(): void {
    const { session } = this.client;
    if (session.lifecycle.state === 'failed') session.start();
  }

  /** Shows the progress of the login that the connection waits for. */
  note(progress: string): void {
    const { lifecycle } = this.client.session;
    if (lifecycle.state === 'connecting') lifecycle.note(progress);
  }

  async #endpoint(): Promise<Endpoint> {
    const { login, onGrant } = this.#deps;
    const grant = await login.session();
    onGrant(grant);
    const endpoint = this.#options.endpointIn(grant);
    if (endpoint === undefined) throw new ConnectFailure('the login does not name it any more', true);
    this.#grant = grant;
    this.#address = addressOf(endpoint);
    return endpoint;
  }
}
