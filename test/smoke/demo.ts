import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** How a command went. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether `program` can be called here. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** `svcd --demo` for a user who has nothing yet, and a second terminal of that user in the checkout's folder. */
export class Demo {
  readonly home = mkdtempSync(join(tmpdir(), 'svc-smoke-'));
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  stdout = '';
  /** Output of the last start for its reader. */
  banner = '';

  /** @param node the Node binary that runs the daemon and, being first on the path, the command line. */
  constructor(private readonly node: string) {
    this.#environment = { PATH: [dirname(node), process.env.PATH].join(delimiter), HOME: this.home };
  }

  /** Starts the daemon and waits until it has printed everything. */
  async start(): Promise<void> {
    this.stdout = '';
    this.banner = '';
    const child = spawn(
      this.node,
      ['bin/svcd', '--demo', '--rest-port', '0', '--grpc-port', '0', '--websocket-port', '0', '--api-port', '0'],
      {
        cwd: root,
        env: this.#environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#child = child;
    child.stdout.on('data', (part) => {
      this.stdout += part;
    });
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (part) => {
        this.banner += part;
        // The third rule is the last line.
        if (this.banner.split('──────\n').length === 4) resolve();
      });
      child.once('exit', (status) => reject(new Error(`svcd ended with status ${status}:\n${this.banner}`)));
    });
  }

  get ready(): { event: string; rest: string; pid: number } {
    return JSON.parse(this.stdout);
  }

  /** The command printed on the line or lines below a heading. */
  commands(heading: string): string[] {
    const lines = this.banner.split('\n');
    const from = lines.findIndex((line) => line.startsWith(`  ${heading}`));
    if (from === -1) throw new Error(`no "${heading}" in ${this.banner}`);
    const below = lines.slice(from + 1);
    return below.slice(0, below.indexOf('')).map((line) => line.trim());
  }

  /** Text after a label on its line. */
  labelled(label: string): string {
    const line = this.banner.split('\n').find((text) => text.startsWith(`  ${label}: `));
    if (line === undefined) throw new Error(`no "${label}" in ${this.banner}`);
    return line.slice(label.length + 3).trim();
  }

  /** Runs a line as it would be pasted into a terminal. */
  async paste(command: string): Promise<Outcome> {
    const child = this.#shell(command);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (part) => {
      stdout += part;
    });
    child.stderr?.on('data', (part) => {
      stderr += part;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stdout, stderr };
  }

  /** Runs a command that goes on until Ctrl-C, which comes once a line of its output fits. */
  async pasteUntil(command: string, fits: (line: string) => boolean): Promise<Outcome> {
    // The shell gives way to the command, so that the signal is the command's own, as it is from a terminal.
    const child = this.#shell(command.replace(/^((?:\w+=\S+ )*)/, '$1exec '));
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (part) => {
      stdout += part;
      if (stdout.split('\n').slice(0, -1).some(fits)) child.kill('SIGINT');
    });
    child.stderr?.on('data', (part) => {
      stderr += part;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stdout, stderr };
  }

  /** Ctrl-C; the exit status. */
  async interrupt(): Promise<number | NodeJS.Signals> {
    const child = this.#child;
    if (child === undefined) throw new Error('the demo is not running');
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    const [status, signal] = (await exited) as [number | null, NodeJS.Signals | null];
    this.#child = undefined;
    return status ?? signal ?? 0;
  }

  remove(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.home, { recursive: true, force: true });
  }

  #shell(command: string): ChildProcess {
    return spawn('sh', ['-c', command], { cwd: root, env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
