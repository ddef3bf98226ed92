import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { readDemoRecord } from '@svc-gateway/control/demo-record';
import { TestSite } from './daemon.js';
import type { KeyWish } from './keys.js';
import { until } from './until.js';

const root = join(import.meta.dirname, '..', '..');

/** `bin/svcd` as a process of its own, with real signals. It runs what `npm run build` compiled. */
export class SpawnedDaemon<Id extends string = string> extends TestSite<Id> {
  #child: ChildProcess | undefined;
  stderr = '';
  /** `host:port` of core TCP. */
  apiAddress = '';
  /** The line printed when it was ready. */
  ready: Readonly<Record<string, unknown>> = {};

  static async start<Id extends string>(options: { keys?: Readonly<Record<Id, KeyWish>>; flags?: readonly string[] } = {}) {
    const test = new SpawnedDaemon<Id>(options.keys !== undefined);
    for (const [id, wish] of Object.entries<KeyWish>(options.keys ?? {})) await test.addKey(id as Id, wish);
    await test.boot(options.flags);
    return test;
  }

  /** Starts the process on this site and waits for its ready line. `launcher` is what becomes the daemon: by default Node itself. */
  async boot(flags: readonly string[] = [], [program, ...before]: readonly [string, ...string[]] = [process.execPath]): Promise<void> {
    const child = spawn(program, [...before, join(root, 'bin', 'svcd'), ...this.flags, ...flags], {
      env: { PATH: process.env.PATH, HOME: this.folder, ...this.variables },
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (part: Buffer) => {
      this.stderr += part.toString();
    });
    const lines = createInterface(child.stdout);
    const exited = once(child, 'exit').then(([status]) => {
      throw new Error(`svcd ended with status ${status} before it was ready:\n${this.stderr.slice(-4000)}`);
    });
    const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string];
    exited.catch(() => undefined);
    const ready = JSON.parse(line) as { event: string; rest: string; grpc?: string; api?: string; pid: number };
    if (ready.event !== 'ready' || ready.pid !== child.pid) throw new Error(`not a ready line: ${line}`);
    this.ready = ready;
    this.url = ready.rest;
    this.grpcUrl = ready.grpc ?? '';
    this.apiAddress = ready.api ?? '';
  }

  /** Resolves when `svcd --demo` has left the record by which `svcctl` finds it. */
  announced(): Promise<unknown> {
    return until(() => readDemoRecord(this.variables.SVC_STATE_DIR ?? '')?.rest === this.url, "the demo's record");
  }

  /** The exit status, or the signal that ended the process. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    const child = this.#running();
    const exited = once(child, 'exit');
    child.kill(signal);
    const [status, by] = (await exited) as [number | null, NodeJS.Signals | null];
    this.#child = undefined;
    return status ?? by ?? 0;
  }

  /** Resolves with the exit status when the process ends by itself. */
  async exited(): Promise<number> {
    const child = this.#running();
    const [status] = child.exitCode === null ? ((await once(child, 'exit')) as [number]) : [child.exitCode];
    this.#child = undefined;
    return status;
  }

  /** The ends of its stdout and stderr that this process holds. */
  get outputs(): Readable[] {
    const { stdout, stderr } = this.#running();
    return [stdout, stderr].filter((stream) => stream !== null);
  }

  hangUp(): void {
    this.#running().kill('SIGHUP');
  }

  async stop(): Promise<void> {
    await this.leave();
    if (this.#child !== undefined && (this.#child.exitCode ?? this.#child.signalCode) === null) await this.end('SIGKILL');
    this.remove();
  }

  #running(): ChildProcess {
    if (this.#child === undefined) throw new Error('svcd is not running');
    return this.#child;
  }
}
