import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const RUN_MS_MAX = 60_000;

/** How one run of the inspector went. */
export interface Inspection {
  readonly status: number;
  /** Result of a run that printed one. */
  readonly result: Record<string, unknown>;
  /** Error of a run without a result. */
  readonly error: { readonly code?: string; readonly message?: string };
  readonly stdout: string;
  readonly stderr: string;
}

/** The official inspector's command line, as it is published. */
export class Inspector {
  readonly #home = mkdtempSync(join(tmpdir(), 'svc-inspector-'));

  private constructor(
    readonly node: string,
    readonly program: string,
    readonly version: string,
  ) {}

  /** Installs it, and the Node that it needs, at first use; the reason where that is not possible. */
  static find(): Inspector | string {
    const [node, program] = ['node-line.mjs', 'mcp-inspector.mjs'].map((script) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', script)], { encoding: 'utf8' });
      return status === 0 ? { path: stdout.trim(), why: '' } : { path: '', why: stderr.trim() };
    });
    if (!node?.path || !program?.path) return `the package registry cannot be reached: ${node?.why}${program?.why}`;
    const said = spawnSync(node.path, [program.path, '--version'], { encoding: 'utf8', timeout: RUN_MS_MAX });
    return new Inspector(node.path, program.path, said.stdout.trim());
  }

  remove(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Runs `--cli` with these arguments. Only `env` and the path go along from this process. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Inspection> {
    // Servers that it starts must run on the Node of this test.
    const path = [dirname(process.execPath), process.env.PATH].join(':');
    const settings = { cwd: root, timeout: RUN_MS_MAX, maxBuffer: 2 ** 25, env: { PATH: path, HOME: this.#home, ...env } };
    return new Promise((resolve, reject) => {
      execFile(this.node, [this.program, '--cli', '--format', 'json', '--quiet', ...args], settings, (error, stdout, stderr) => {
        const status = error === null ? 0 : error.code;
        if (typeof status !== 'number') return reject(error);
        const said = stdout.trim() === '' ? stderr : stdout;
        try {
          const { result = {}, error = {} } = JSON.parse(said);
          resolve({ status, result, error, stdout, stderr });
        } catch {
          reject(new Error(`status ${status}, no JSON: ${stdout}\n${stderr}`));
        }
      });
    });
  }
}
