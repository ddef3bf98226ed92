import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { type ControlAnswer, type ControlArgument, type ControlCommand, controlPath } from './control-socket.js';

/** Actions by command; each answers with one sentence for the caller. */
export type ControlActions = Readonly<Record<ControlCommand, (argument: ControlArgument) => Promise<Omit<ControlAnswer, 'pid'>>>>;

export interface ControlListener {
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 8;
const COMMAND_BYTES_MAX = 4_096;
/** A client sends its one line at once. */
const COMMAND_MS_MAX = 2_000;

/**
 * Listens on the control socket of the state folder, which only its owner can reach (the folder's mode is 0700). Call it
 * with the folder locked: a socket that is there then was left by a process that is gone. Rejects where the platform
 * cannot have one there.
 */
export async function listenForControl(stateFolder: string, actions: ControlActions): Promise<ControlListener> {
  const control = controlPath(stateFolder);
  if (control === undefined) throw new Error(`the path of ${stateFolder} is too long for a socket`);
  const { path, release } = control;
  const remove = () => {
    if (process.platform !== 'win32') rmSync(path, { force: true });
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, actions);
  });
  server.maxConnections = CONNECTIONS_MAX;
  try {
    remove();
    await listen(server, path);
  } catch (error) {
    release();
    throw error;
  }
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      remove();
      release();
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}

/** One line in, one line of JSON out. */
function serve(socket: Socket, actions: ControlActions): void {
  let text = '';
  socket.setTimeout(COMMAND_MS_MAX, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const end = text.indexOf('\n');
    if (end === -1 && text.length <= COMMAND_BYTES_MAX) return;
    socket.removeAllListeners('data').setTimeout(0).resume();
    answer(text.slice(0, Math.max(0, end)), actions).then((line) => socket.end(line));
  });
}

async function answer(line: string, actions: ControlActions): Promise<string> {
  const space = line.indexOf(' ');
  const command = space === -1 ? line : line.slice(0, space);
  const argument = space === -1 ? {} : parseArgument(line.slice(space + 1));
  const outcome = isCommand(command, actions)
    ? argument === undefined
      ? { ok: false, message: `${command} takes one JSON object of texts and booleans` }
      : await actions[command](argument).catch((error: unknown) => ({ ok: false, message: String(error) }))
    : { ok: false, message: `unknown command; accepted: ${Object.keys(actions).join(', ')}` };
  return `${JSON.stringify({ ...outcome, pid: process.pid })}\n`;
}

function parseArgument(text: string): ControlArgument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const isPlain = Object.values(value).every((field) => typeof field === 'string' || typeof field === 'boolean');
    return isPlain ? (value as ControlArgument) : undefined;
  } catch {
    return undefined;
  }
}

function isCommand(text: string, actions: ControlActions): text is ControlCommand {
  return Object.hasOwn(actions, text);
}
