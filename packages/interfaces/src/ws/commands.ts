import type { Message } from '@bufbuild/protobuf';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import { describeJson, isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, subscription } from '@svc-gateway/contract/operations';
import { Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import { requestDecoder } from '@svc-gateway/contract/request';
import { quoted } from '@svc-gateway/contract/shown';
import type { ResponseMessage } from '@svc-gateway/gateway';
import type { Cursor } from '@svc-gateway/gateway/push';
import { type EnvelopeFormat, envelopeText } from '../common/envelope.js';
import { cursorOf } from './wire-format.js';

/** A command that was understood: an operation's request, as REST would have it. */
export interface Command {
  readonly operation: Operation;
  /** The fields as they came, without `op` and `id`. */
  readonly body: JsonObject;
  /** The same, decoded: the operation's `C2S`. */
  readonly request: Message;
  /** `since` of `sub_acc`: the last order or fill event that the client has. */
  readonly since?: Cursor;
}

/** Runs a command with the rights of its connection. */
export type CommandRunner = (command: Command) => ResponseMessage | Rejection | Promise<ResponseMessage | Rejection>;

const operations: Readonly<Record<string, Operation>> = {
  ...{ subscribe: subscription.subscribe, unsubscribe: subscription.unsubscribe, query: subscription.querySubscription },
  ...{ sub_acc: account.subAccPush, unsub_acc: account.unsubAccPush },
};
const OPS = [...Object.keys(operations), 'ping'].join(', ');
const ID_CHARACTERS_MAX = 64;

/**
 * Answers one command text: `{"op":"subscribe","id":1,…}` with the fields of the REST route of that name. The answer is
 * `{"type":"ack","id":1,"op":"subscribe",…}` with the REST envelope or the REST error fields; `id` is the command's own.
 * @param accounts those whose order and fill events the connection receives.
 */
export async function answerCommand(
  text: string,
  format: EnvelopeFormat,
  run: CommandRunner,
  accounts: () => readonly bigint[],
): Promise<string> {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const { message, line, column } = parsed.error;
    return rejected(
      undefined,
      undefined,
      new Rejection('request.malformed_json', `malformed JSON, line ${line}, column ${column}: ${message}`),
    );
  }
  if (!isJsonObject(parsed.value)) {
    const message = `a command is an object with "op", found ${describeJson(parsed.value)}`;
    return rejected(undefined, undefined, new Rejection('request.wrong_type', message));
  }
  const body: JsonObject = Object.assign(Object.create(null), parsed.value);
  const { op, id } = body;
  delete body.op;
  delete body.id;
  if (!isId(id)) {
    const message = `id: expected an integer or a string of at most ${ID_CHARACTERS_MAX} characters, found ${describeJson(id)}`;
    return rejected(undefined, op, new Rejection('request.wrong_type', message, { field: 'id' }));
  }
  if (op === 'ping') return answerPing(id, body);
  const operation = typeof op === 'string' && Object.hasOwn(operations, op) ? operations[op] : undefined;
  if (operation === undefined) {
    const message = op === undefined ? `missing field "op", accepted: ${OPS}` : `op: expected one of ${OPS}, found ${describeJson(op)}`;
    return rejected(id, op, new Rejection(op === undefined ? 'request.missing_field' : 'request.out_of_range', message, { field: 'op' }));
  }
  const since = operation === account.subAccPush ? takeSince(body) : undefined;
  if (since instanceof Rejection) return rejected(id, op, since);
  const decoded = requestDecoder(operation, 'rest')(body);
  if (!decoded.ok) return rejected(id, op, rejectProblem(decoded.problem));
  const answer = await run({ operation, body, request: decoded.value, ...(since === undefined ? {} : { since }) });
  if (answer instanceof Rejection) return rejected(id, op, answer);
  const fields = envelopeText(operation, answer, format);
  return ack(id, op, operation === subscription.querySubscription ? withAccounts(fields, accounts(), format.int64) : fields);
}

/** The answer to a command text that is not looked at any further than for what it is to be told apart by. */
export function refuseCommand(text: string, rejection: Rejection): string {
  const parsed = parseJson(text);
  const { id, op } = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  return rejected(isId(id) ? id : undefined, op, rejection);
}

/** The answer to a command that is refused, whatever it was. */
export function rejected(id: Id, op: JsonValue | undefined, { message, code, details }: Rejection): string {
  const retry = details.retryAfterSeconds === undefined ? {} : { retry_after: details.retryAfterSeconds };
  return ack(id, op, JSON.stringify({ ret_type: -1, ret_msg: message, err_code: code, error: message, code, ...retry }));
}

/** Takes `since` out of a command; undefined where it has none. */
function takeSince(body: JsonObject): Cursor | Rejection | undefined {
  const { since } = body;
  delete body.since;
  return since === undefined || since === null ? undefined : cursorOf(typeof since === 'string' ? since : describeJson(since));
}

/** The protocol's message has no field for accounts. */
function withAccounts(fields: string, accIds: readonly bigint[], int64: Int64Format): string {
  const list = accIds.map((accId) => (int64 === 'string' ? `"${accId}"` : String(accId)));
  return `{"acc_id_list":[${list.join(',')}],${fields.slice(1)}`;
}

type Id = string | number | bigint | null | undefined;

function isId(id: JsonValue | undefined): id is Id {
  if (id === undefined || id === null || typeof id === 'bigint') return true;
  return typeof id === 'string' ? id.length <= ID_CHARACTERS_MAX : Number.isSafeInteger(id);
}

function answerPing(id: Id, body: JsonObject): string {
  const [name] = Object.keys(body);
  if (name !== undefined)
    return rejected(id, 'ping', new Rejection('request.unknown_field', `unknown field ${quoted(name)}`, { field: name }));
  return ack(id, 'ping', '{"ret_type":0}');
}

/** `fields` is the text of an object with at least one field. */
function ack(id: Id, op: JsonValue | undefined, fields: string): string {
  const idText = typeof id === 'bigint' ? String(id) : JSON.stringify(id ?? null);
  const opText = typeof op === 'string' && op.length <= ID_CHARACTERS_MAX ? `,"op":${JSON.stringify(op)}` : '';
  return `{"type":"ack","id":${idText}${opText},${fields.slice(1)}`;
}
