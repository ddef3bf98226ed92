import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import { ConnectFailure } from '@svc-gateway/protocol-client';
import { afterEach, beforeEach } from 'vitest';
import { AuthService } from '../../packages/backends/src/remote/auth-service.js';
import { CredentialsFile } from '../../packages/backends/src/remote/credentials-file.js';
import { Login } from '../../packages/backends/src/remote/login.js';
import { passwordDigest } from '../../packages/backends/src/remote/login-request.js';
import { type AuthorityAnswer, ScriptedAuthority } from './scripted-authority.js';

export const ACCOUNT = '1001';
export const PASSWORD = 'correct horse';
export const NEW_DEVICE = { ret_type: 20, ret_msg: 'new device', device_verify_sig: 'sig-1', phone_no: '+852 9123 4567' };
/** When the clock of a {@link LoginStage} starts. */
export const LOGIN_START = Date.parse('2026-08-03T02:00:00Z');

/** Logins at a scripted service, each test with a folder and a clock of its own. */
export class LoginStage {
  folder = '';
  clock = new ManualClock(LOGIN_START);
  #authority: ScriptedAuthority | undefined;
  readonly #logins: Login[] = [];

  /** Sets the stage for each test of the file that calls it. */
  static forEach(): LoginStage {
    const stage = new LoginStage();
    beforeEach(() => {
      stage.folder = mkdtempSync(join(tmpdir(), 'svc-login-'));
      stage.clock = new ManualClock(LOGIN_START);
    });
    afterEach(async () => {
      for (const login of stage.#logins.splice(0)) login.stop();
      await stage.#authority?.stop();
      rmSync(stage.folder, { recursive: true, force: true });
    });
    return stage;
  }

  /** The service that {@link serve} has started. */
  get authority(): ScriptedAuthority {
    if (this.#authority === undefined) throw new Error('nothing is served yet');
    return this.#authority;
  }

  get filePath(): string {
    return join(this.folder, 'credentials.json');
  }

  async serve(...answers: AuthorityAnswer[]): Promise<void> {
    this.#authority = await ScriptedAuthority.start(...answers);
  }

  openFile(reset = false): CredentialsFile {
    let made = 0;
    const file = CredentialsFile.open(this.filePath, { account: ACCOUNT, authUrl: this.authority.url }, reset, () => `device-${++made}`);
    if (typeof file === 'string') throw new Error(file);
    return file;
  }

  /** A login as of a start of the daemon, with what it logs. */
  open({ verifyCode = '', reset = false, password = PASSWORD } = {}): Login & { log: string[] } {
    let nonces = 0;
    const log: string[] = [];
    const write = (fields: object, message: string) => void log.push(`${JSON.stringify(fields)} ${message}`);
    const login = new Login({
      service: new AuthService(this.authority.url, this.clock),
      file: this.openFile(reset),
      identity: {
        account: ACCOUNT,
        accountKind: 'id',
        passwordDigest: passwordDigest(ACCOUNT, password),
        platform: 'svc',
        deviceName: 'desk',
      },
      clock: this.clock,
      logger: { error: write, warn: write, info: write, debug: write },
      newNonce: () => String(++nonces).padStart(32, '0'),
      verifyCode,
    });
    this.#logins.push(login);
    return Object.assign(login, { log });
  }
}

/** A login's failure; throws where it succeeds. */
export async function failureOf(login: Login): Promise<ConnectFailure> {
  const thrown = await login.session().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof ConnectFailure) return thrown;
  throw new Error(`the login did not fail: ${thrown}`);
}
