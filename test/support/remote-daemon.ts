import { TestDaemon, type TestDaemonOptions } from './daemon.js';
import { ACCOUNT, PASSWORD, type SimServe } from './sim-serve.js';
import { until } from './until.js';

/** Flags of a daemon that logs in to this brokerage. */
export function remoteFlags(brokerage: SimServe): string[] {
  return ['--backend', 'remote', '--auth-url', brokerage.authUrl, '--login-account', ACCOUNT, '--enable-trading'];
}

export const remoteVariables = { SVC_LOGIN_PWD: PASSWORD };

/** A daemon that logs in to a brokerage; its device check is under way, or it is ready, by the next look at it. */
export function startRemote<Id extends string>(
  brokerage: SimServe,
  { flags = [], variables = {}, ...options }: TestDaemonOptions<Id> = {},
): Promise<TestDaemon<Id>> {
  const all = { ...options, flags: [...remoteFlags(brokerage), ...flags], variables: { ...remoteVariables, ...variables } };
  return TestDaemon.start<Id>(all);
}

/** One that has been through its device check, and is ready. */
export async function startVerified<Id extends string>(brokerage: SimServe, options: TestDaemonOptions<Id> = {}): Promise<TestDaemon<Id>> {
  const sent = brokerage.nextCode();
  const daemon = await startRemote(brokerage, options);
  await daemon.daemon.login?.answer(await sent);
  await whenReady(daemon);
  return daemon;
}

/** The reason of `/readyz` once it fits. */
export async function readyzSays(daemon: TestDaemon, fits: RegExp): Promise<string> {
  let reason = '';
  await until(async () => {
    const { json } = await daemon.as().get('/readyz');
    reason = json.reason;
    return fits.test(reason);
  }, `/readyz: ${fits}`);
  return reason;
}

/** Resolves when requests are served. */
export async function whenReady(daemon: TestDaemon): Promise<void> {
  await until(async () => (await daemon.as().get('/readyz')).status === 200, 'readiness');
}
