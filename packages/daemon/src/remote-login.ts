import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AuthService, CredentialsFile, Login, passwordDigest } from '@svc-gateway/backends/remote';
import type { Clock } from '@svc-gateway/contract/clock';
import { accountKindOf } from '@svc-gateway/contract/login-account';
import type { Logger } from './log.js';
import type { Settings } from './settings-table.js';

const CREDENTIALS_FILE = 'credentials.json';
const DEVICE_ID_BYTES = 16;
const NONCE_BYTES = 16;

/** The login that `--backend remote` makes, with what earlier ones have left in the state folder; a sentence where that is damaged. */
export function openLogin(settings: Settings, clock: Clock, logger: Logger): Login | string {
  const { authUrl, loginAccount: account, loginPwd, platform, deviceName, stateDir, resetDevice, verifyCode } = settings;
  const accountKind = account === null ? undefined : accountKindOf(account);
  if (authUrl === null || account === null || loginPwd === null || accountKind === undefined) {
    throw new Error('settings for a login were accepted without its address, account or password');
  }
  const newDeviceId = () => randomBytes(DEVICE_ID_BYTES).toString('hex');
  const file = CredentialsFile.open(join(stateDir, CREDENTIALS_FILE), { account, authUrl }, resetDevice, newDeviceId);
  if (typeof file === 'string') return file;
  return new Login({
    service: new AuthService(authUrl, clock),
    file,
    identity: { account, accountKind, passwordDigest: passwordDigest(account, loginPwd), platform, deviceName },
    clock,
    logger,
    newNonce: () => randomBytes(NONCE_BYTES).toString('hex'),
    verifyCode: verifyCode ?? '',
  });
}
