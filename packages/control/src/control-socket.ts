import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { quoted } from '@svc-gateway/contract/shown';

/** Command of the daemon's own user, over the socket in its state folder. */
export type ControlCommand = 'reload' | 'status' | 'halt' | 'resume';

/** Argument of a command, as one JSON object; absent for commands that take none. */
export type ControlArgument = Readonly<Record<string, string | boolean>>;

/** One line of JSON. */
export interface ControlAnswer {
  readonly ok: boolean;
  /** One sentence for people. */
  readonly message: string;
  readonly pid: number;
}

/** Reason why there is no answer. */
export type NoAnswer = { readonly kind: 'no_daemon' } | { readonly kind: 'failed'; readonly reason: string };

/** A reload reads one file and some certificates; a halt may wait for a brokerage to take its cancels. */
const ANSWER_MS_MAX: Readonly<Record<ControlCommand, number>> = { reload: 10_000, status: 10_000, halt: 60_000, resume: 10_000 };
const ANSWER_BYTES_MAX = 65_536;
/** Bytes of a socket's path, its final zero among them: 108 on Linux, 104 on macOS. */
const PATH_BYTES_MAX = 103;

/** A path to the control socket that the platform can take. */
export interface ControlPath {
  readonly path: string;
  /** Lets go of what the path needs. */
  release(): void;
}

/**
 * The control socket of the daemon that uses `stateFolder`. A path that is too long for a socket's address goes by way of
 * the open folder on Linux; elsewhere it is undefined. Throws when the folder cannot be opened.
 */
export function controlPath(stateFolder: string, platform = process.platform): ControlPath | undefined {
  if (platform === 'win32') {
    const name = createHash('sha256').update(stateFolder.toLowerCase()).digest('hex').slice(0, 32);
    return { path: `\\\\.\\pipe\\svc-${name}`, release: () => undefined };
  }
  const path = join(stateFolder, 'control.sock');
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return { path, release: () => undefined };
  if (platform !== 'linux') return undefined;
  const folder = openSync(stateFolder, 'r');
  return { path: `/proc/self/fd/${folder}/control.sock`, release: () => closeSync(folder) };
}

/**
 * Asks the daemon that uses `stateFolder`. Who answers is the process that listens on the socket now: no number that could
 * by then belong to another process stands in between.
 */
export async function askDaemon(
  stateFolder: string,
  command: ControlCommand,
  argument?: ControlArgument,
): Promise<ControlAnswer | NoAnswer> {
  let control: ControlPath | undefined;
  try {
    control = controlPath(stateFolder);
    if (control === undefined) return { kind: 'failed', reason: `the path of ${stateFolder} is too long for a socket` };
    return parseAnswer(await exchange(control.path, command, argument));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ECONNREFUSED' ? { kind: 'no_daemon' } : { kind: 'failed', reason: message };
  } finally {
    control?.release();
  }
}

function exchange(path: string, command: ControlCommand, argument: ControlArgument | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = '';
    const timeoutMs = ANSWER_MS_MAX[command];
    const deadline = setTimeout(() => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    const line = argument === undefined ? command : `${command} ${JSON.stringify(argument)}`;
    socket.on('connect', () => socket.write(`${line}\n`));
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > ANSWER_BYTES_MAX) socket.destroy(new Error('the answer is too long'));
    });
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(text);
    });
  });
}

function parseAnswer(text: string): ControlAnswer | NoAnswer {
  try {
    const { ok, message, pid } = JSON.parse(text) as Partial<ControlAnswer>;
    if (typeof ok === 'boolean' && typeof message === 'string' && typeof pid === 'number') return { ok, message, pid };
  } catch {
    // Told below.
  }
  return { kind: 'failed', reason: `what listens there is no svcd of this version: it answered ${quoted(text)}` };
}
