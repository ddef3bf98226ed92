import type { Clock } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { PushConnection } from '@svc-gateway/gateway/push';
import type { RawData, WebSocket } from 'ws';
import type { EnvelopeFormat } from '../common/envelope.js';
import { CommandRate } from './command-rate.js';
import { answerCommand, type CommandRunner, refuseCommand, rejected } from './commands.js';
import { controlFrame } from './text-frame.js';

export interface SessionOptions {
  readonly webSocket: WebSocket;
  readonly connection: PushConnection;
  readonly json: EnvelopeFormat;
  readonly clock: Clock;
  readonly commandsPerSecond: number;
  readonly run: CommandRunner;
  /** A command ended in a defect. */
  readonly onDefect: (error: unknown) => void;
}

/** Commands of one connection that may wait for the one before them. */
const COMMANDS_WAITING_MAX = 100;
/** Pings that may stay unanswered. */
const PINGS_MISSED_MAX = 2;
/** RFC 6455, section 7.4.1: a kind of data that the endpoint does not accept. */
const CLOSE_UNSUPPORTED_DATA = 1003;

/** Commands of one peer, one after the other, and its heartbeats. */
export class Session {
  readonly #rate: CommandRate;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #pingsMissed = 0;

  constructor(private readonly options: SessionOptions) {
    this.#rate = new CommandRate(options.clock, options.commandsPerSecond);
    options.webSocket.on('message', (data, isBinary) => this.#message(data, isBinary));
    options.webSocket.on('pong', () => {
      this.#pingsMissed = 0;
    });
  }

  /** One beat: pings the peer, or ends the connection when it has left two pings unanswered. */
  beat(): void {
    const { webSocket } = this.options;
    if (this.#pingsMissed >= PINGS_MISSED_MAX) {
      webSocket.terminate();
      return;
    }
    this.#pingsMissed += 1;
    if (webSocket.readyState === webSocket.OPEN) webSocket.ping();
  }

  /** Cuts the connection off. */
  terminate(): void {
    this.options.webSocket.terminate();
  }

  #message(data: RawData, isBinary: boolean): void {
    const { webSocket, connection, commandsPerSecond } = this.options;
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (isBinary) {
      connection.close(CLOSE_UNSUPPORTED_DATA, 'commands are JSON text frames');
      return;
    }
    const text = data.toString();
    if (!this.#rate.take() || this.#waiting >= COMMANDS_WAITING_MAX) {
      const message = `limit: rate limit exceeded: at most ${commandsPerSecond} commands a second, and ${COMMANDS_WAITING_MAX} unanswered`;
      connection.send(controlFrame(refuseCommand(text, new Rejection('limit.rate', message, { retryAfterSeconds: 1 }))));
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last.then(() => this.#command(text));
  }

  async #command(text: string): Promise<void> {
    const { connection, json, run, onDefect } = this.options;
    connection.hold();
    try {
      connection.send(controlFrame(await answerCommand(text, json, run, () => connection.accounts())));
    } catch (error) {
      onDefect(error);
      const rejection = new Rejection('internal', 'internal error: the command may have taken effect');
      connection.send(controlFrame(rejected(undefined, undefined, rejection)));
    }
    connection.release();
    this.#waiting -= 1;
  }
}
