import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** The published Python client, where it lies beside the checkout and can be run. */
export interface PythonSdk {
  readonly python: string;
  /** Folders of PYTHONPATH; the first is the client's own. */
  readonly path: readonly string[];
}

/** Finds the client and what it needs, or says why it cannot be run. */
export function findPythonSdk(): PythonSdk | string {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'python-sdk.mjs');
  const found = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  return found.status === 0 ? (JSON.parse(found.stdout) as PythonSdk) : `the published Python client cannot be run: ${found.stderr.trim()}`;
}

/** A program that uses the client, in a process of its own with a home of its own: the client writes logs there. */
export class PythonProgram {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #home = mkdtempSync(join(tmpdir(), 'svc-python-'));
  readonly #status: Promise<number | string | null>;
  readonly #waiting: (() => void)[] = [];
  #complaints = '';

  constructor(sdk: PythonSdk, script: string, args: readonly string[]) {
    this.#child = spawn(sdk.python, [script, ...args], {
      env: {
        PATH: process.env.PATH,
        HOME: this.#home,
        PYTHONPATH: sdk.path.join(delimiter),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUNBUFFERED: '1',
        // Its messages were generated for a protobuf library older than the distribution's.
        PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION: 'python',
        LANG: 'C.UTF-8',
      },
      cwd: this.#home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr?.on('data', (part: Buffer) => {
      this.#complaints += part.toString();
    });
    const lines = createInterface(this.#child.stdout as NonNullable<ChildProcess['stdout']>);
    lines.on('line', (line) => {
      this.lines.push(line);
      for (const look of this.#waiting) look();
    });
    const ended = new Promise<number | string | null>((resolve) => this.#child.on('close', (status, signal) => resolve(status ?? signal)));
    this.#status = ended.finally(() => rmSync(this.#home, { recursive: true, force: true }));
  }

  get complaints(): string {
    return this.#complaints;
  }

  /** Resolves with its output once it has ended by itself. */
  async finished(): Promise<string> {
    const status = await this.#status;
    if (status !== 0) throw new Error(`the program ended with ${status}: ${this.#complaints}\n${this.lines.slice(-20).join('\n')}`);
    return this.lines.join('\n');
  }

  /** Resolves when it has printed a line that the pattern fits, or ended. */
  async printed(pattern: RegExp): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = () => this.lines.some((line) => pattern.test(line)) && resolve();
      this.#waiting.push(look);
      look();
    });
    await Promise.race([seen, this.#status]);
  }

  /** Ends it, wherever it is. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#status;
  }
}
