import type { Clock } from '../../contract/clock.js';
import type { LifecycleSnapshot, Logger } from '../../gateway/index.js';
import {
  addressOf,
  ConnectFailure,
  type Dial,
  type Endpoint,
  type Greeting,
  HandshakeRefused,
  type PushFrame,
  Session,
  type Upstream,
} from '../framed/index.js';
import type { Login } from './login.js';
import type { LoginGrant } from './login-answer.js';

/** What connections to any point have in common. */
export interface PointParts {
  readonly login: Login;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly dial: Dial;
  readonly logger: Logger;
  readonly onLifecycle: () => void;
  readonly onDefect: (error: unknown) => void;
  /** The login in force is another: before any connection is made under it. */
  readonly onGrant: (grant: LoginGrant) => void;
}

interface PointOptions extends PointParts {
  /** Where a login says that this point is; undefined where it does not know it any more. */
  readonly endpointIn: (grant: LoginGrant) => Endpoint | undefined;
  readonly prepare: (upstream: Upstream, greeting: Greeting) => Promise<void>;
  readonly onLost: (reason: string, heardAt: number) => void;
  readonly onPush: (frame: PushFrame) => void;
}

/** Major × 100 + minor of the protocol's messages that this client knows. */
const CLIENT_VERSION = 1011;
const NO_ENCRYPTION = -1;

/**
 * The connection to the platform or to a broker. It is made where the login says that the point is, under the session that the
 * login gave; a session that is refused is forgotten, so that the next try logs in anew.
 */
export class Point {
  readonly session: Session;
  readonly #options: PointOptions;
  #grant: LoginGrant | undefined;
  /** Where the connection goes that there is or is tried. */
  #address = '';

  constructor(options: PointOptions) {
    this.#options = options;
    const { login, clock, random, dial, prepare, onLost, onPush, onLifecycle, onDefect } = options;
    this.session = new Session({
      clock,
      random,
      dial,
      endpoint: () => this.#endpoint(),
      introduction: () => ({
        clientId: `svc:${this.#grant?.sessionKey ?? ''}`,
        clientVersion: CLIENT_VERSION,
        packetEncAlgo: NO_ENCRYPTION,
      }),
      prepare: (upstream, greeting) => {
        if (this.#grant !== undefined) login.accepted(this.#grant.sessionKey);
        return prepare(upstream, greeting);
      },
      onLost,
      onPush,
      onLifecycle,
      onDefect,
      onFailed: (failure) => this.#failed(failure),
    });
  }

  get snapshot(): LifecycleSnapshot {
    return this.session.lifecycle.snapshot;
  }

  /** Goes where this login says: a connection elsewhere is given up. */
  follow(grant: LoginGrant): void {
    const endpoint = this.#options.endpointIn(grant);
    if (this.session.lifecycle.state === 'idle') this.session.start();
    this.retry();
    if (endpoint !== undefined && this.#address !== '' && addressOf(endpoint) !== this.#address) {
      this.session.renew(`the login names ${addressOf(endpoint)} in place of ${this.#address}`);
    }
  }

  /** Tries once more what had failed. */
  retry(): void {
    if (this.session.lifecycle.state === 'failed') this.session.start();
  }

  /** Says what the login under way waits for. */
  note(progress: string): void {
    if (this.session.lifecycle.state === 'connecting') this.session.lifecycle.note(progress);
  }

  async #endpoint(): Promise<Endpoint> {
    const { login, endpointIn, onGrant } = this.#options;
    const grant = await login.session();
    onGrant(grant);
    const endpoint = endpointIn(grant);
    if (endpoint === undefined) throw new ConnectFailure('the login does not name it any more', true);
    this.#grant = grant;
    this.#address = addressOf(endpoint);
    return endpoint;
  }

  #failed(failure: Error): void {
    const grant = this.#grant;
    if (failure instanceof HandshakeRefused && grant !== undefined) this.#options.login.refused(grant.sessionKey);
  }
}
