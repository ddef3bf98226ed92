import { RetType } from '../../contract/generated/Common_pb.js';
import { shown } from '../../contract/shown.js';
import {
  answered,
  type BackendFailure,
  BackendLost,
  type BackendRefusalCode,
  BackendRefused,
  BackendTimeout,
  type ResponseMessage,
} from '../../gateway/index.js';
import { type RefusalKind, readRefusal } from './refusals.js';

interface Meaning {
  readonly code: BackendRefusalCode;
  /** What to tell the caller before the upstream's own words. */
  readonly says: string;
  /** Seconds after which it is worth another try; undefined where waiting changes nothing. */
  readonly retryAfterSeconds?: number;
  /** Of a write, nobody knows what became of it. */
  readonly open?: true;
}

/** A quota is given back by the minute at the earliest, and one of history after days. */
const SUBSCRIPTION_SECONDS = 60;
const HISTORY_SECONDS = 3_600;
const AGAIN_SECONDS = 5;

const meanings: Readonly<Record<Exclude<RefusalKind, 'timeout' | 'frequency'>, Meaning>> = {
  subscription_quota: {
    code: 'backend.quota',
    says: 'the server’s subscription quota is used up',
    retryAfterSeconds: SUBSCRIPTION_SECONDS,
  },
  history_quota: { code: 'backend.quota', says: 'the server’s history K-line quota is used up', retryAfterSeconds: HISTORY_SECONDS },
  too_young: { code: 'backend.rate', says: 'a subscription lasts a minute at least', retryAfterSeconds: SUBSCRIPTION_SECONDS },
  not_subscribed: { code: 'backend.invalid', says: 'the server wants a subscription first' },
  trade_locked: { code: 'backend.forbidden', says: 'trading is locked at the server: unlock it first' },
  no_right: { code: 'backend.forbidden', says: 'the login at the server has no right to this' },
  disclaimer: { code: 'backend.forbidden', says: 'the login at the server has terms to agree to first' },
  disconnected: { code: 'backend.unavailable', says: 'the server has lost its connection', retryAfterSeconds: AGAIN_SECONDS, open: true },
  server_failed: { code: 'backend.failed', says: 'the server failed', open: true },
  unknown_protocol: { code: 'backend.unsupported', says: 'the server does not know this operation' },
  no_simulated_fills: { code: 'backend.invalid', says: 'the server has no fills of simulated accounts' },
};

/** Of a refusal by frequency: what was asked and when there is a turn again, by the gateway's own log. */
export function tooOften(name: string, retryAfterSeconds: number, text: string): BackendRefused {
  const message = `${name}: too many requests at the server, of which others may have made some; try again in ${retryAfterSeconds} s${quoted(text)}`;
  return new BackendRefused('backend.rate', message, retryAfterSeconds);
}

/** What a refusal that is understood is to callers of the port; its text is quoted. */
export function translate(kind: Exclude<RefusalKind, 'frequency'>, text: string, isWrite: boolean): BackendFailure {
  if (kind === 'timeout') return new BackendTimeout(`the server did not get an answer in time${quoted(text)}`);
  const { code, says, retryAfterSeconds, open } = meanings[kind];
  if (open && isWrite) return new BackendLost(`${says}${quoted(text)}`);
  return new BackendRefused(code, `${says}${quoted(text)}`, retryAfterSeconds);
}

/** What may be asked again after a refusal by frequency, where nobody keeps a log of it. */
const WINDOW_SECONDS = 30;

/** An answer, unless it is none or a refusal that is understood: those are thrown. For what is asked past the sender, which waits for its turn. */
export function understood(name: string, response: ResponseMessage): ResponseMessage {
  if (answered(response).retType === RetType.RetType_Succeed) return response;
  const kind = readRefusal(response)?.kind;
  if (kind === undefined) return response;
  throw kind === 'frequency' ? tooOften(name, WINDOW_SECONDS, response.retMsg) : translate(kind, response.retMsg, false);
}

function quoted(text: string): string {
  return ` (the server: "${shown(text)}")`;
}
