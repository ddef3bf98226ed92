import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { StartProblem } from '@svc-gateway/daemon/daemon';
import { createLog } from '@svc-gateway/daemon/log';
import { planStartup } from '@svc-gateway/daemon/startup';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setUp } from '../../../packages/daemon/src/set-up.js';
import { TestDaemon, TestSite } from '../../support/daemon.js';
import { remoteFlags, remoteVariables } from '../../support/remote-daemon.js';
import { SimServe } from '../../support/sim-serve.js';

let brokerage: SimServe;
let site: TestSite;
let shown = '';
beforeEach(async () => {
  brokerage = await SimServe.start();
  site = new TestSite(false);
  shown = '';
});
afterEach(async () => {
  site.remove();
  await brokerage.stop();
});

function start(flags: readonly string[] = [], input?: PassThrough): Promise<bigint> {
  const variables = { ...site.variables, ...remoteVariables };
  const environment = { variables, home: site.folder, cwd: site.folder, platform: process.platform };
  const startup = planStartup([...site.flags, ...remoteFlags(brokerage), '--setup-only', ...flags], environment);
  if (startup.kind !== 'run') throw new Error(startup.text);
  const logger = createLog({ level: 'silent', target: { write: () => undefined }, readable: false });
  const show = (text: string) => {
    shown += text;
  };
  return setUp(startup.settings, logger, { input, show });
}

describe('svcd --setup-only', () => {
  it('asks for the code at the terminal, again after a wrong one, and leaves the credentials', async () => {
    const input = new PassThrough();
    const sent = brokerage.nextCode();
    const done = start([], input);
    const code = await sent;
    input.write(`${code === '111111' ? '222222' : '111111'}\n\n${code}\n`);
    expect(await done).toBeGreaterThan(0n);
    expect(shown).toMatch(/waiting for the verification code sent to .*0101/);
    expect(shown).toContain('verification code wrong or missing (ret_type 21');
    expect(shown.match(/Verification code: /g)?.length).toBeGreaterThanOrEqual(2);
    expect(existsSync(join(site.variables.SVC_STATE_DIR ?? '', 'credentials.json'))).toBe(true);
    // From now on nobody has to answer.
    await start();
    expect(brokerage.codes).toHaveLength(1);
  });

  it('ends when the input does', async () => {
    const input = new PassThrough();
    const sent = brokerage.nextCode();
    const done = start([], input);
    await sent;
    input.end();
    await expect(done).rejects.toThrow(StartProblem);
  });

  it('ends without a terminal, and continues with --verify-code', async () => {
    const sent = brokerage.nextCode();
    const told = start();
    await expect(told).rejects.toThrow(StartProblem);
    await expect(told).rejects.toThrow(/waiting for the verification code.*--verify-code/);
    expect(await start(['--verify-code', await sent])).toBeGreaterThan(0n);
    expect(brokerage.codes).toHaveLength(1);
  });

  it('says why the login is refused', async () => {
    brokerage.login.order(23);
    await expect(start()).rejects.toThrow(/phone number not bound/);
  });

  it('says that the service does not answer, and does not wait for it', async () => {
    await brokerage.halt();
    await expect(start()).rejects.toThrow(/nothing listens at/);
    await brokerage.boot();
  });

  it('does not touch the credentials of a daemon that runs', async () => {
    const daemon = await TestDaemon.start();
    Object.assign(site, { folder: daemon.folder });
    await expect(start()).rejects.toThrow(/another|in use|running/);
    await daemon.halt();
  });
});
