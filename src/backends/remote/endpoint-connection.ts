import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../contract/clock.js';
import type { S2C as Notice } from '../../contract/generated/Notify_pb.js';
import type { LifecycleSnapshot, Logger, QuoteStream } from '../../gateway/index.js';
import {
  addressOf,
  ConnectFailure,
  castsDoubt,
  type Dial,
  type Endpoint,
  type Greeting,
  HandshakeRefused,
  lostBy,
  PacketIds,
  type PushFrame,
  RateLimitedClient,
  type RequestOptions,
  readUpstreamState,
  ServerWatch,
  Session,
  StateLog,
  type Upstream,
  type UpstreamState,
} from '../../protocol-client/index.js';
import type { Login } from './login.js';
import type { LoginGrant } from './login-answer.js';

/** What connections to any point have in common. */
export interface ConnectionDeps {
  readonly login: Login;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly dial: Dial;
  /** The private key that the brokerage has too: what passes between them is encrypted. */
  readonly rsaKey: KeyObject | undefined;
  readonly logger: Logger;
  readonly onLifecycle: () => void;
  readonly onDefect: (error: unknown) => void;
  /** The login in force is another: before any connection is made under it. */
  readonly onGrant: (grant: LoginGrant) => void;
}

/** The streams of a point that has some. */
interface ConnectionStreams {
  readonly all: () => readonly QuoteStream[];
  /** Those that the server, by its own account, has forgotten. */
  readonly verify: () => Promise<readonly QuoteStream[]>;
  /** Subscribes and registers again to what the server says that it delivers. */
  readonly resubscribe: (streams: readonly QuoteStream[]) => Promise<void>;
  /** Has them announced and restored; what was missing began at `from` (epoch ms). */
  readonly onMissed: (streams: readonly QuoteStream[], from: number, reason: string) => Promise<void>;
}

interface EndpointConnectionOptions extends ConnectionDeps {
  /** For people: "the platform". */
  readonly name: string;
  /** What it is there for. */
  readonly role: 'quotes' | 'trading';
  readonly streams?: ConnectionStreams;
  /** Where a login says that this point is; undefined where it does not know it any more. */
  readonly endpointIn: (grant: LoginGrant) => Endpoint | undefined;
  readonly prepare: (upstream: Upstream, greeting: Greeting) => Promise<void>;
  readonly onLost: (reason: string, heardAt: number) => void;
  readonly onPush: (frame: PushFrame) => void;
  /** The server has said once more that it serves. */
  readonly onServing?: () => void;
}

/** Major × 100 + minor of the protocol's messages that this client knows. */
const CLIENT_VERSION = 1011;
/** Common.PacketEncAlgo: AES in CBC mode. */
const AES_CBC = 2;
/** How long the backend waits for what it asks by itself. */
const OWN_MS_MAX = 10_000;

/**
 * The connection to the platform or to a broker. It is made where the login says that the point is, under the session that the
 * login gave; a session that is refused is forgotten, so that the next try logs in anew.
 */
export class EndpointConnection {
  readonly session: Session;
  /** What is asked of it, in its turn. */
  readonly requests: RateLimitedClient;
  readonly watch: ServerWatch;
  readonly #options: EndpointConnectionOptions;
  readonly #packets: PacketIds;
  #userId: bigint | undefined;
  #grant: LoginGrant | undefined;
  /** Where the connection goes that there is or is tried. */
  #address = '';

  constructor(options: EndpointConnectionOptions) {
    this.#options = options;
    const { login, clock, random, dial, rsaKey, name, streams, prepare, onLost, onPush, onLifecycle, onDefect, logger } = options;
    const log = new StateLog(clock, logger, { point: name }, 'the connection to the brokerage');
    this.session = new Session({
      clock,
      random,
      dial,
      endpoint: () => this.#endpoint(),
      introduction: () => ({
        clientId: `svc:${this.#grant?.sessionKey ?? ''}`,
        clientVersion: CLIENT_VERSION,
        packetEncAlgo: AES_CBC,
      }),
      ...(rsaKey === undefined ? {} : { rsaKey }),
      prepare: async (upstream, greeting) => {
        if (this.#grant !== undefined) login.accepted(this.#grant.sessionKey);
        this.#connected(greeting);
        await this.#look(upstream);
        await prepare(upstream, greeting);
      },
      onLost,
      onPush,
      onLifecycle: () => {
        if (this.session.lifecycle.state === 'ready') this.watch.begin();
        else this.watch.end();
        log.note(this.session.lifecycle.snapshot);
        onLifecycle();
      },
      onDefect,
      onFailed: (failure) => this.#failed(failure),
    });
    this.#packets = new PacketIds(this.session);
    this.requests = new RateLimitedClient(this.#packets, { clock, pacing: 'when refused' });
    this.watch = new ServerWatch({
      clock,
      readState: () => readUpstreamState(this.session, this.#own()),
      onState: (state) => this.#judge(state),
      onUnknown: (reason) => logger.warn({ point: name, reason }, 'the brokerage does not say how it is'),
      streams: streams?.all ?? (() => []),
      verify: streams?.verify ?? (async () => []),
      resubscribe: streams?.resubscribe ?? (async () => undefined),
      onMissed: streams?.onMissed ?? (async () => undefined),
      renew: (reason, from) => {
        // Some sessions go on to be accepted after their time, and say nothing.
        if (this.#grant !== undefined) login.refused(this.#grant.sessionKey);
        this.session.renew(reason, from);
      },
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

  /** Its server gave notice of something: it is asked how it is. */
  noticed(notice: Notice): void {
    const why = lostBy(notice)[this.#options.role];
    if (why !== undefined && this.session.lifecycle.state === 'ready') this.session.renew(why);
    else this.watch.look(castsDoubt(notice.type));
  }

  /** Ends it for good: whoever waits for a turn is told so. */
  stop(): void {
    this.requests.stop();
    this.session.stop();
  }

  #own(): RequestOptions {
    return { deadline: this.#options.clock.monotonic() + OWN_MS_MAX };
  }

  /** Nothing of an earlier connection holds; what another user was told may not be for this one. */
  #connected({ connId, userId }: Greeting): void {
    this.#packets.connected(connId);
    this.requests.reset(this.#userId !== undefined && this.#userId !== userId);
    this.#userId = userId;
  }

  /** A server that says that it is not logged in itself is of no use yet. One that says nothing of it is taken as it is. */
  async #look(upstream: Upstream): Promise<void> {
    const { logger, name, role } = this.#options;
    let state: UpstreamState;
    try {
      state = await readUpstreamState(upstream, this.#own());
    } catch (thrown) {
      if (!(thrown instanceof ConnectFailure)) throw thrown;
      logger.warn({ point: name, reason: thrown.message }, 'the brokerage does not say how it is');
      return;
    }
    const missing = state.missing[role];
    if (missing !== undefined) throw new ConnectFailure(missing);
  }

  #judge({ missing }: UpstreamState): void {
    const why = missing[this.#options.role];
    if (why === undefined) this.#options.onServing?.();
    else if (this.session.lifecycle.state === 'ready') this.session.renew(why);
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
