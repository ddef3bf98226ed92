import type { IncomingMessage } from 'node:http';
import type { Result } from '../../access/index.js';
import { backOff } from './back-off.js';
import type { Unreached } from './endpoint.js';
import { discard, readAnswer, streamStart } from './gateway-answer.js';
import type { ServerMessage } from './server-message.js';

export interface StandingStreamOptions {
  /** Sends the GET; with an event's id the gateway repeats what came after it. */
  readonly open: (lastEventId: string | undefined) => Promise<Result<IncomingMessage, Unreached>>;
  readonly deliver: (message: ServerMessage) => Promise<void>;
  /** Begins the session again, which the gateway does not know any more. Resolves with whether it did; if so, this stream is over. */
  readonly renew: () => Promise<boolean>;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const HTTP_BAD_REQUEST = 400;
const HTTP_NOT_FOUND = 404;
const HTTP_NO_SUCH_METHOD = 405;

/**
 * Holds the stream on which the gateway sends what answers no request, through lost connections, until the signal is
 * aborted. Resolves early where the gateway has no such stream, or a new session with a stream of its own has been begun.
 */
export async function holdStandingStream({ open, deliver, renew, random, signal }: StandingStreamOptions): Promise<void> {
  let position = streamStart();
  for (let failures = 0; !signal.aborted; failures++) {
    const opened = await open(position.lastEventId);
    if (opened.ok) {
      const response = opened.value;
      switch (response.statusCode) {
        case HTTP_NO_SUCH_METHOD:
          return discard(response);
        case HTTP_NOT_FOUND:
          if (await renew()) return discard(response);
          break;
        case HTTP_BAD_REQUEST:
          // The event is no longer available, or nothing is repeated there.
          position = streamStart();
      }
      await readAnswer(response, position, (message) => {
        failures = 0;
        return response.statusCode === 200 ? deliver(message) : Promise.resolve();
      });
    }
    if (!signal.aborted) await backOff(failures, position.retryMs, random, signal);
  }
}
