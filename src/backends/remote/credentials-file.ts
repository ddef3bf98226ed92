import { parseJson } from '../../contract/json/parse.js';
import { describeJson, isJsonObject, type JsonObject, type JsonValue } from '../../contract/json/value.js';
import { readPlainFile, writePrivateFile } from '../../storage/index.js';

/** Whose credentials: one file serves one account at one login service. */
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

interface Content {
  readonly deviceId: string;
  readonly place?: LoginPlace | undefined;
  readonly ticket?: string | undefined;
  readonly check?: SavedCheck | undefined;
}

const VERSION = 1;
const BYTES_MAX = 64 * 1024;
const TEXT_MAX = 4096;

/**
 * What one login leaves for the next, in a file that its owner alone can read: the device's id, the ticket, and a device check
 * that waits for its code. Written as a whole; what is there of another account or service is passed over, and replaced at the
 * next login. The device's id stays whoever logs in.
 */
export class CredentialsFile {
  readonly path: string;
  readonly #place: LoginPlace;
  #content: Content;

  private constructor(path: string, place: LoginPlace, content: Content) {
    this.path = path;
    this.#place = place;
    this.#content = content;
  }

  /**
   * Reads the file; without one, or with `reset`, there is a new device, which the login service has never seen.
   * @param newDeviceId made when it is needed.
   * @returns a sentence for the operator where the file is damaged or cannot be read or written.
   */
  static open(path: string, place: LoginPlace, reset: boolean, newDeviceId: () => string): CredentialsFile | string {
    try {
      const found = reset ? undefined : readText(path);
      if (found !== undefined) return new CredentialsFile(path, place, readContent(found));
      const file = new CredentialsFile(path, place, { deviceId: newDeviceId() });
      file.#write(file.#content);
      return file;
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      const remedy = thrown instanceof Damaged ? '; start once with --reset-device, and the login asks for a new code' : '';
      return `credentials ${path}: ${why}${remedy}`;
    }
  }

  get deviceId(): string {
    return this.#content.deviceId;
  }

  /** Of the last login of this account at this service. */
  get ticket(): string | undefined {
    return this.#isOurs ? this.#content.ticket : undefined;
  }

  get check(): SavedCheck | undefined {
    return this.#isOurs ? this.#content.check : undefined;
  }

  /** A login succeeded. Throws when it cannot be written. */
  saveTicket(ticket: string): void {
    this.#write({ deviceId: this.deviceId, place: this.#place, ticket });
  }

  /** A code is on its way. Throws when it cannot be written. */
  saveCheck(check: SavedCheck): void {
    this.#write({ deviceId: this.deviceId, place: this.#place, check });
  }

  get #isOurs(): boolean {
    const { place } = this.#content;
    return place?.account === this.#place.account && place.authUrl === this.#place.authUrl;
  }

  #write(content: Content): void {
    const { deviceId, place, ticket, check } = content;
    // What is in memory holds also when the disk does not take it.
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
          : { device_verify_sig: check.deviceVerifySig, phone_no: check.phone, code_sent_at: new Date(check.codeSentAt).toISOString() },
    };
    writePrivateFile(this.path, `${JSON.stringify(json, null, 2)}\n`);
  }
}

class Damaged extends Error {}

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
  if (!parsed.ok) throw new Damaged(`it is damaged at line ${parsed.error.line}, column ${parsed.error.column}: ${parsed.error.message}`);
  const fields = objectOf(parsed.value, 'the file');
  if (fields.version !== VERSION) throw new Damaged(`version must be ${VERSION}; found ${describeJson(fields.version)}`);
  const account = textOf(fields, 'account');
  const authUrl = textOf(fields, 'auth_url');
  return {
    deviceId: required(fields, 'device_id'),
    place: account === undefined || authUrl === undefined ? undefined : { account, authUrl },
    ticket: textOf(fields, 'tgtgt'),
    check: fields.device_check === undefined ? undefined : readCheck(objectOf(fields.device_check, 'device_check')),
  };
}

function readCheck(fields: JsonObject): SavedCheck {
  const sentAt = required(fields, 'code_sent_at');
  const codeSentAt = Date.parse(sentAt);
  if (Number.isNaN(codeSentAt)) throw new Damaged('code_sent_at must be an ISO 8601 time');
  return { deviceVerifySig: required(fields, 'device_verify_sig'), phone: textOf(fields, 'phone_no') ?? '', codeSentAt };
}

function objectOf(value: JsonValue | undefined, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Damaged(`${what} must be an object; found ${describeJson(value)}`);
}

/** Never shown: it may be a secret. */
function textOf(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || (typeof value === 'string' && value.length <= TEXT_MAX)) return value;
  throw new Damaged(`${name} must be a text of at most ${TEXT_MAX} characters`);
}

function required(fields: JsonObject, name: string): string {
  const value = textOf(fields, name);
  if (value !== undefined && value !== '') return value;
  throw new Damaged(`${name} is missing`);
}
