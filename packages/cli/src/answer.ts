import { parseJson } from '@svc-gateway/contract/json/parse';
import { isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { exitStatus } from './exit-status.js';
import type { HttpAnswer } from './http-client.js';

/** Meaning of an answer: the exit status, and a sentence for people if it is not success. */
export interface Verdict {
  readonly status: number;
  readonly message?: string;
}

/** The gateway has no backend yet: the request was not passed on. */
const HTTP_NOT_READY = 503;

/** Judges an answer of the daemon: HTTP status first, then the envelope's `ret_type`. */
export function judge(answer: HttpAnswer): Verdict {
  const parsed = parseJson(answer.body);
  const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  if (answer.status === HTTP_NOT_READY) {
    return { status: exitStatus.refused, message: withAdvice(said(answer, body), '"svcctl health" says what the gateway is waiting for') };
  }
  if (answer.status >= 500) return { status: exitStatus.unanswered, message: withAdvice(said(answer, body), 'the log of svcd says more') };
  if (answer.status >= 400) return { status: exitStatus.refused, message: withAdvice(said(answer, body), advice400(answer, body)) };
  const retType = body?.ret_type;
  if (retType === undefined || retType === 0) return { status: exitStatus.ok };
  const code = textOf(body?.err_code);
  return {
    status: exitStatus.businessFailure,
    message: `the brokerage refused: ${textOf(body?.ret_msg) ?? 'no reason given'} (ret_type ${textOf(retType)}${code === undefined ? '' : `, err_code ${code}`})`,
  };
}

function said(answer: HttpAnswer, body: JsonObject | undefined): string {
  const code = textOf(body?.code);
  const text = textOf(body?.error) ?? textOf(body?.detail) ?? 'no reason given';
  return `HTTP ${answer.status}${code === undefined ? '' : ` ${code}`}: ${text}`;
}

/** Advice about a refusal; undefined if the daemon's own words say it all. */
function advice400(answer: HttpAnswer, body: JsonObject | undefined): string | undefined {
  const code = textOf(body?.code) ?? '';
  if (code === 'auth.legacy_write') return 'svcd runs without a keys file, where writes are refused: start it with --rest-keys-file';
  if (answer.status === 401) return 'give a valid key with --api-key or SVC_API_KEY ("svcctl gen-key" creates one)';
  if (code === 'auth.scope') return 'the key lacks a scope: create one that has it (svcctl gen-key --scopes)';
  if (code === 'feature_disabled') return 'restart svcd with that switch';
  if (answer.status === 404) return 'this daemon does not know the operation; is it another version?';
  const { retryAfterSeconds } = answer;
  return retryAfterSeconds === undefined ? undefined : `try again in ${retryAfterSeconds} s`;
}

function withAdvice(message: string, advice: string | undefined): string {
  return advice === undefined ? message : `${message}\n${advice}`;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}
