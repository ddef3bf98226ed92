import { type ArrayNode, type JsonNode, readDocument } from '@svc-gateway/contract/json/document';
import { positionOf, type TextFault } from '@svc-gateway/contract/json/parse';
import { scopes } from '@svc-gateway/contract/scope';
import { Faults, listOf, nullable, oneOf, optionalField, type Read, readObject, readString, requiredField, shown } from './json-fields.js';
import type { KeyRecord } from './key-record.js';
import { readLimits, unlimited } from './limits.js';
import { err, type Result } from './result.js';
import { scopeMask } from './scopes.js';
import { parseUtcTimestamp } from './timestamp.js';

export const KEYS_FILE_VERSION = 2;

/** Reason why a keys file is refused. Line and column count from 1; the column counts UTF-16 units. */
export interface KeysFileError {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A valid keys file: its records, and where the list stands in the text (for appending to it). */
export interface KeysFile {
  readonly records: readonly KeyRecord[];
  readonly list: ArrayNode;
}

/** Reads the text of a keys file, version 2, in full. Whatever the text, the outcome is a value. */
export function parseKeysFile(text: string): Result<KeysFile, KeysFileError> {
  const document = readDocument(text);
  const checked = document.ok ? check(document.value, text) : document;
  if (checked.ok) return checked;
  return err({ message: checked.error.message, ...positionOf(text, checked.error.at) });
}

function check(document: JsonNode, text: string): Result<KeysFile, TextFault> {
  const version = checkVersion(document);
  if (!version.ok) return version;
  const faults = new Faults();
  const root = readObject(document, '', ['version', 'keys'], faults);
  const list = root === undefined ? undefined : requiredField(root, '', 'keys', readArray, faults);
  if (list === undefined) return faults.outcome<KeysFile>(undefined);
  const records = listOf('key records', recordReader(text))(list, 'keys', faults) ?? [];
  if (faults.first === undefined) findDuplicates(list, records, faults);
  return faults.outcome({ records, list });
}

/** Comes first: of a file of another version nothing else can be judged. */
function checkVersion(document: JsonNode): Result<true, TextFault> {
  const faults = new Faults();
  const readVersion: Read<true> = (node, path, into) => {
    if (node.kind === 'number' && node.text === String(KEYS_FILE_VERSION)) return true;
    return into.add(node.start, `unknown ${path} ${shown(node)}: this program reads version ${KEYS_FILE_VERSION}`);
  };
  if (document.kind === 'object') return faults.outcome(requiredField(document, '', 'version', readVersion, faults));
  return err({ at: document.start, message: `the file must be an object, found ${shown(document)}` });
}

const readArray: Read<ArrayNode> = (node, path, faults) =>
  node.kind === 'array' ? node : faults.add(node.start, `${path} must be an array of key records, found ${shown(node)}`);

const recordFields = ['id', 'hash', 'sdk_hash', 'scopes', 'limits', 'allowed_machines', 'created_at', 'expires_at', 'note'];

function recordReader(text: string): Read<KeyRecord> {
  const readSharedLimits = shared(text, readLimits);
  return (node, path, faults) => {
    const object = readObject(node, path, recordFields, faults);
    if (object === undefined) return undefined;
    const id = requiredField(object, path, 'id', readId, faults);
    const hash = requiredField(object, path, 'hash', readHash, faults);
    const granted = requiredField(object, path, 'scopes', readScopes, faults);
    const sdkHash = optionalField(object, path, 'sdk_hash', nullable(readHash), null, faults);
    const limits = optionalField(object, path, 'limits', readSharedLimits, unlimited, faults);
    const allowedMachines = optionalField(object, path, 'allowed_machines', readMachines, null, faults);
    const createdAt = optionalField(object, path, 'created_at', readTime, null, faults);
    const expiresAt = optionalField(object, path, 'expires_at', nullable(readTime), null, faults);
    const note = optionalField(object, path, 'note', readString, '', faults);
    // Any of these is undefined only when a fault has been added, and then the file is refused as a whole.
    if (id === undefined || hash === undefined || granted === undefined || sdkHash === undefined || limits === undefined) return undefined;
    if (allowedMachines === undefined || createdAt === undefined || expiresAt === undefined || note === undefined) return undefined;
    return {
      id: detached(id),
      scopes: scopeMask(granted),
      limits,
      expiresAt,
      allowedMachines,
      hash: detached(hash),
      sdkHash,
      createdAt,
      note,
    };
  };
}

/** Values that are spelled alike become one object: of thousands of keys with the same limits, one copy stays in the processor's cache. */
function shared<T>(text: string, read: Read<T>): Read<T> {
  const known = new Map<string, T>();
  return (node, path, faults) => {
    const spelled = text.slice(node.start, node.end);
    const value = known.get(spelled) ?? read(node, path, faults);
    if (value !== undefined && faults.first === undefined) known.set(spelled, value);
    return value;
  };
}

/** A copy of its own: a part of the file's text would keep the whole text in memory, and lie far from its record. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}

const ID_LENGTH_MAX = 128;

/** Whether `id` may name a key: it appears in logs and in database keys. */
export function isKeyId(id: string): boolean {
  return id.length <= ID_LENGTH_MAX && /^[\p{L}\p{N}\p{P}\p{S}]+(?: [\p{L}\p{N}\p{P}\p{S}]+)*$/u.test(id);
}

const readId: Read<string> = (node, path, faults) => {
  const id = readString(node, path, faults);
  if (id === undefined || isKeyId(id)) return id;
  return faults.add(node.start, `${path} must be 1 to ${ID_LENGTH_MAX} visible characters, found ${shown(node)}`);
};

const readHash: Read<string> = (node, path, faults) => {
  const text = readString(node, path, faults);
  if (text === undefined || /^[0-9a-f]{64}$/.test(text)) return text;
  // A key pasted in place of its hash must not travel on into logs.
  const found = text.startsWith('svc_') ? 'a key itself' : `${shown(node)} (${text.length} characters)`;
  return faults.add(node.start, `${path} must be 64 lower-case hexadecimal digits (SHA-256 of the key), found ${found}`);
};

const readScopes = listOf('scopes', oneOf('scope', scopes));

const readFingerprint: Read<string> = (node, path, faults) => {
  const text = readString(node, path, faults);
  if (text === undefined || isFingerprint(text)) return text;
  return faults.add(
    node.start,
    `${path} must be fp_ and 64 lower-case hexadecimal digits (svcctl machine-id prints it), found ${shown(node)}`,
  );
};
const readMachines = nullable(listOf('machine fingerprints', readFingerprint));

export function isFingerprint(text: string): boolean {
  return /^fp_[0-9a-f]{64}$/.test(text);
}

const readTime: Read<number> = (node, path, faults) => {
  const text = readString(node, path, faults);
  if (text === undefined) return undefined;
  const time = parseUtcTimestamp(text);
  return time ?? faults.add(node.start, `${path} must be an ISO 8601 time in UTC, for example 2026-08-01T09:30:00Z; found ${shown(node)}`);
};

/** Two records of one id, or one credential in two records, would make the caller's identity a matter of order. */
function findDuplicates(list: ArrayNode, records: readonly KeyRecord[], faults: Faults): void {
  const ids = new Set<string>();
  const owners = { hash: new Map<string, string>(), sdk_hash: new Map<string, string>() };
  for (const [index, record] of records.entries()) {
    const node = list.items[index];
    const at = (name: string) => (node?.kind === 'object' ? node.fields.get(name)?.value.start : undefined) ?? list.start;
    if (ids.has(record.id)) faults.add(at('id'), `keys[${index}]: duplicate id "${record.id}"`);
    ids.add(record.id);
    for (const [name, value] of [['hash', record.hash] as const, ['sdk_hash', record.sdkHash] as const]) {
      if (value === null) continue;
      const owner = owners[name].get(value);
      if (owner !== undefined) faults.add(at(name), `keys[${index}].${name} already belongs to key "${owner}"`);
      owners[name].set(value, record.id);
    }
  }
}
