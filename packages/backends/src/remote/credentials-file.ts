import { parseJson } from '@svc-gateway/contract/json/parse';
import { describeJson, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { readPlainFile, writePrivateFile } from '@svc-gateway/storage';
import { Malformed, objectOf, textOf, wrong } from './json-fields.js';

/** Owner of a credentials file: one account at one login service. */
export interface LoginPlace {
  readonly account: string;
  readonly authUrl: string;
}

/** A device check whose code was asked for and not entered yet: it outlives the process. */
export interface SavedCheck {
  readonly deviceVerifySig: string;
  readonly phone: string;
  /** Epoch ms. */
  readonly codeSentAt: number;
}

/** A login that was refused for what its settings say: with the same ones it is not tried again, restarts included. */
export interface SavedRefusal {
  readonly retType: number;
  /** The service's own text; '' without one. */
  readonly said: string;
  /** Epoch ms. */
  readonly at: number;
  /** Tells these settings from others, and nothing about them: a salted hash. */
  readonly settings: string;
  readonly salt: string;
  /** It was refused to a new device as well. */
  readonly reset: boolean;
}

/** State that one login leaves for the next. */
export interface SavedState {
  readonly deviceId: string;
  readonly ticket?: string | undefined;
  readonly check?: SavedCheck | undefined;
  /** When codes were asked for in the last hour, epoch ms, oldest first. */
  readonly codeTimes?: readonly number[];
  readonly refusal?: SavedRefusal | undefined;
  /** Epoch ms: the service wants to be left alone until then. */
  readonly notBefore?: number | undefined;
}

interface Content extends SavedState {
  readonly place?: LoginPlace | undefined;
}

const VERSION = 1;
const BYTES_MAX = 64 * 1024;

/**
 * State that one login leaves for the next, in a file that its owner alone can read: the device's id, the ticket, a device check that
 * waits for its code, and what keeps log-ins few: codes that were asked for, a refusal, a wait. Written as a whole; what is there
 * of another account or service is passed over, and replaced at the next login. The device's id stays whoever logs in.
 */
export class CredentialsFile {
  readonly path: string;
  readonly #place: LoginPlace;
  #content: Content;

  private constructor(
    path: string,
    place: LoginPlace,
    content: Content,
    /** This start has forgotten the device that there was. */
    readonly reset: boolean,
  ) {
    this.path = path;
    this.#place = place;
    this.#content = content;
  }

  /**
   * Reads the file; without one, or with `reset`, there is a new device, which the login service has never seen. What keeps log-ins
   * few outlives a reset too.
   * @param newDeviceId made when it is needed.
   * @returns a sentence for the operator where the file is damaged or cannot be read or written.
   */
  static open(path: string, place: LoginPlace, reset: boolean, newDeviceId: () => string): CredentialsFile | string {
    try {
      const found = readText(path);
      if (found !== undefined && !reset) return new CredentialsFile(path, place, readContent(found), reset);
      const before = found === undefined ? {} : readUnlessDamaged(found);
      const { ticket: _ticket, check: _check, ...kept } = before;
      const file = new CredentialsFile(path, place, { ...kept, deviceId: newDeviceId() }, reset);
      file.#write(file.#content);
      return file;
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const remedy = thrown instanceof Malformed ? '; start once with --reset-device, and the login asks for a new code' : '';
      return `credentials ${path}: ${why}${remedy}`;
    }
  }

  /** State of this account at this service. */
  get saved(): SavedState {
    const { place } = this.#content;
    const isOurs = place?.account === this.#place.account && place.authUrl === this.#place.authUrl;
    return isOurs ? this.#content : { deviceId: this.#content.deviceId };
  }

  /** Replaces parts of the state. Throws when it cannot be written; the change counts for this process even so. */
  save(change: Partial<SavedState>): void {
    this.#write({ ...this.saved, ...change, place: this.#place });
  }

  #write(content: Content): void {
    const { deviceId, place, ticket, check, codeTimes, refusal, notBefore } = content;
    // Memory holds the change even when the disk does not take it.
    this.#content = content;
    const json = {
      version: VERSION,
      device_id: deviceId,
      account: place?.account,
      auth_url: place?.authUrl,
      tgtgt: ticket,
      device_check:
        check === undefined
          ? undefined
          : { device_verify_sig: check.deviceVerifySig, phone_no: check.phone, code_sent_at: timeText(check.codeSentAt) },
      code_messages: codeTimes?.map(timeText),
      refused_login:
        refusal === undefined
          ? undefined
          : {
              ret_type: refusal.retType,
              ret_msg: refusal.said,
              at: timeText(refusal.at),
              settings: refusal.settings,
              salt: refusal.salt,
              reset_device: refusal.reset,
            },
      not_before: notBefore === undefined ? undefined : timeText(notBefore),
    };
    writePrivateFile(this.path, `${JSON.stringify(json, null, 2)}\n`);
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** A damaged file is replaced by a reset, which asks for nothing of it. */
function readUnlessDamaged(text: string): Partial<Content> {
  try {
    return readContent(text);
  } catch (thrown) {
    if (thrown instanceof Malformed) return {};
    throw thrown;
  }
}

function readText(path: string): string | undefined {
  try {
    return readPlainFile(path, BYTES_MAX).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readContent(text: string): Content {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Malformed(`it is damaged at line ${parsed.error.line}, column ${parsed.error.column}: ${parsed.error.message}`);
  const fields = objectOf(parsed.value, 'the file');
  if (fields.version !== VERSION) throw new Malformed(`version must be ${VERSION}; found ${describeJson(fields.version)}`);
  const account = textOf(fields, 'account');
  const authUrl = textOf(fields, 'auth_url');
  return {
    deviceId: required(fields, 'device_id'),
    place: account === undefined || authUrl === undefined ? undefined : { account, authUrl },
    ticket: textOf(fields, 'tgtgt'),
    check: fields.device_check === undefined ? undefined : readCheck(objectOf(fields.device_check, 'device_check')),
    codeTimes: fields.code_messages === undefined ? [] : readTimes(fields.code_messages, 'code_messages'),
    refusal: fields.refused_login === undefined ? undefined : readRefusal(objectOf(fields.refused_login, 'refused_login')),
    notBefore: fields.not_before === undefined ? undefined : timeOf(fields.not_before, 'not_before'),
  };
}

function readCheck(fields: JsonObject): SavedCheck {
  const codeSentAt = timeOf(fields.code_sent_at, 'code_sent_at');
  return { deviceVerifySig: required(fields, 'device_verify_sig'), phone: textOf(fields, 'phone_no') ?? '', codeSentAt };
}

function readRefusal(fields: JsonObject): SavedRefusal {
  const { ret_type: retType, reset_device: reset } = fields;
  if (typeof retType !== 'number') throw new Malformed('ret_type must be a number');
  return {
    retType,
    said: textOf(fields, 'ret_msg') ?? '',
    at: timeOf(fields.at, 'at'),
    settings: required(fields, 'settings'),
    salt: required(fields, 'salt'),
    reset: reset === true,
  };
}

function readTimes(value: JsonValue, name: string): readonly number[] {
  if (!Array.isArray(value)) throw wrong(name, 'an array', value);
  return value.map((time) => timeOf(time, name));
}

function timeOf(value: JsonValue | undefined, name: string): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw wrong(name, 'an ISO 8601 time', value);
  return time;
}

function required(fields: JsonObject, name: string): string {
  const value = textOf(fields, name);
  if (value !== undefined && value !== '') return value;
  throw new Malformed(`${name} is missing`);
}
