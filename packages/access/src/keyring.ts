import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import { Rejection } from '@svc-gateway/contract/rejection';
import { digestOf } from './digest.js';
import { KeyIndex } from './key-index.js';
import type { KeyRecord } from './key-record.js';
import { type KeysLoadError, loadKeysFile } from './keys-source.js';
import { type MachineIdReader, machineFingerprint, readMachineId } from './machine.js';
import { err, ok, type Result } from './result.js';
import { SharedLimits } from './shared-limits.js';

/** The key of a credential, or the `auth.*` rejection of a bearer who is not who it says it is. */
export type KeyAuth = Result<KeyRecord, Rejection>;

/** Result of a reload. A key whose hash was replaced is both removed and added: its old text no longer works. */
export interface KeyChanges {
  readonly added: readonly KeyRecord[];
  readonly removed: readonly KeyRecord[];
  readonly changed: readonly { readonly before: KeyRecord; readonly after: KeyRecord }[];
}
export type ReloadOutcome = Result<KeyChanges, KeysLoadError>;

export interface KeyringStatus {
  readonly path: string;
  readonly keys: number;
  /** Epoch ms of the load that is in force. */
  readonly loadedAt: number;
  /** The reload that failed since then, if any; the keys in force are those of `loadedAt`. */
  readonly failure: { readonly at: number; readonly error: KeysLoadError } | undefined;
}

export interface KeyringOptions {
  readonly path: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Asked once, when a key is bound to machines; the machine the process runs on by default. */
  readonly readMachineId?: MachineIdReader;
}

const invalid = err(new Rejection('auth.invalid', 'token invalid'));

/** Digests of removed keys that are remembered, to tell "revoked" from "unknown"; the oldest are forgotten first. */
const REVOKED_MAX = 100_000;

/**
 * The keys in force. Every request is judged by the snapshot of its moment; a reload replaces the snapshot as a whole,
 * or not at all when the file is broken.
 */
export class Keyring {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #readMachineId: MachineIdReader;
  readonly #listeners = new Emitter<ReloadOutcome>();
  /** Calls `listener` after every reload; returns its removal. */
  readonly onReload = this.#listeners.on;
  /** Digest of a key text or SDK text → id of the key it was. */
  readonly #revoked = new Map<string, string>();
  #machineId: Result<string, string> | undefined;
  #index = new KeyIndex([], () => undefined);
  #loadedAt = 0;
  #failure: KeyringStatus['failure'];
  /** Stamp of the file that was last read; a change of the file changes it. */
  #stamp: string | undefined;

  private constructor(options: KeyringOptions) {
    this.#path = options.path;
    this.#clock = options.clock;
    this.#readMachineId = options.readMachineId ?? readMachineId;
  }

  /** Loads the file. An error here ends the daemon's start with exit status 2. */
  static open(options: KeyringOptions): Result<Keyring, KeysLoadError> {
    const keyring = new Keyring(options);
    const loaded = keyring.#load();
    return loaded.ok ? ok(keyring) : loaded;
  }

  /** Key with this text (`svc_…`). */
  authenticate(keyText: string, now = this.#clock.now()): KeyAuth {
    return this.#found(this.#index.withText(keyText), keyText, now);
  }

  /** Key whose text has this MD5 hex, as the public SDKs send it. */
  authenticateSdk(md5Hex: string): KeyAuth {
    const text = md5Hex.toLowerCase();
    return this.#found(this.#index.withSdkText(text), text, this.#clock.now());
  }

  /** The key of this id, whether it may still be used or not. */
  keyNamed(id: string): KeyRecord | undefined {
    return this.#index.byId.get(id);
  }

  /** The operator's default key for callers that cannot send one (`--api-key-id`). */
  authenticateId(id: string): KeyAuth {
    return this.#judgeId(id, this.#clock.now());
  }

  /** Present state of a key that a connection was opened with. The record is the same object while nothing about it has changed. */
  revalidate(key: KeyRecord, now = this.#clock.now()): KeyAuth {
    const inForce = this.#index.byId.get(key.id);
    return inForce === undefined || inForce.hash !== key.hash ? revoked(key.id) : this.#judge(inForce, now);
  }

  /** Reads the file again. Listeners learn the outcome after the new keys are in force. */
  reload(): ReloadOutcome {
    const outcome = this.#load();
    if (!outcome.ok) this.#failure = { at: this.#clock.now(), error: outcome.error };
    this.#listeners.emit(outcome);
    return outcome;
  }

  /** The file was refused for what it says, and says the same still: to read it again is in vain. */
  get stillRefused(): boolean {
    return this.#failure?.error.line !== undefined && stampOf(this.#path) === this.#stamp;
  }

  status(): KeyringStatus {
    return { path: this.#path, keys: this.#index.byId.size, loadedAt: this.#loadedAt, failure: this.#failure };
  }

  #found(key: KeyRecord | undefined, text: string, now: number): KeyAuth {
    return key === undefined ? this.#unknown(text) : this.#judge(key, now);
  }

  #unknown(text: string): KeyAuth {
    if (this.#revoked.size === 0) return invalid;
    const id = this.#revoked.get(digestOf(text));
    return id === undefined ? invalid : revoked(id);
  }

  #judgeId(id: string, now: number): KeyAuth {
    const key = this.#index.byId.get(id);
    return key === undefined ? err(new Rejection('auth.invalid', `no key has the id "${id}"`)) : this.#judge(key, now);
  }

  #judge(key: KeyRecord, now: number): KeyAuth {
    if (key.expiresAt !== null && now >= key.expiresAt) {
      return err(new Rejection('auth.expired', `key expired at ${new Date(key.expiresAt).toISOString()}`, { keyId: key.id }));
    }
    const problem = this.#index.machineProblem(key);
    return problem === undefined ? ok(key) : err(new Rejection('auth.machine', problem, { keyId: key.id }));
  }

  #load(): ReloadOutcome {
    this.#stamp = stampOf(this.#path);
    const loaded = loadKeysFile(this.#path);
    if (!loaded.ok) return err(loaded.error);
    const before = this.#index;
    const shared = new SharedLimits(before.byId.values());
    const records = loaded.value.records.map((record) => {
      const known = before.byId.get(record.id);
      if (known !== undefined && isDeepStrictEqual(known, record)) return known;
      return { ...record, limits: shared.of(record.limits) };
    });
    this.#index = new KeyIndex(records, (key) => this.#machineProblem(key));
    this.#loadedAt = this.#clock.now();
    this.#failure = undefined;
    this.#rememberRevoked(before);
    return ok(changesBetween(before, this.#index));
  }

  #machineProblem(key: KeyRecord): string | undefined {
    if (key.allowedMachines === null) return undefined;
    if (key.allowedMachines.length === 0) return 'key is frozen: it is bound to no machine';
    this.#machineId ??= this.#readMachineId();
    if (!this.#machineId.ok) return `key is bound to machines, and this one cannot be identified: ${this.#machineId.error}`;
    return key.allowedMachines.includes(machineFingerprint(key.id, this.#machineId.value)) ? undefined : 'key is bound to other machines';
  }

  #rememberRevoked(before: KeyIndex): void {
    for (const key of before.byId.values()) {
      const now = this.#index.byId.get(key.id);
      if (now?.hash !== key.hash) this.#revoked.set(key.hash, key.id);
      if (key.sdkHash !== null && now?.sdkHash !== key.sdkHash) this.#revoked.set(key.sdkHash, key.id);
    }
    for (const digest of this.#revoked.keys()) {
      if (this.#revoked.size <= REVOKED_MAX) break;
      this.#revoked.delete(digest);
    }
  }
}

/** Text that changes when the file is written or replaced; undefined when the file cannot be looked at. */
function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}

function revoked(keyId: string): KeyAuth {
  return err(new Rejection('auth.revoked', 'key revoked', { keyId }));
}

function changesBetween(before: KeyIndex, after: KeyIndex): KeyChanges {
  const added: KeyRecord[] = [];
  const removed: KeyRecord[] = [];
  const changed: { before: KeyRecord; after: KeyRecord }[] = [];
  for (const key of before.byId.values()) {
    const now = after.byId.get(key.id);
    if (now === undefined || now.hash !== key.hash) removed.push(key);
    else if (now !== key) changed.push({ before: key, after: now });
  }
  for (const key of after.byId.values()) if (before.byId.get(key.id)?.hash !== key.hash) added.push(key);
  return { added, removed, changed };
}
