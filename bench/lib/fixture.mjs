import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyText } from '@svc-gateway/access';
import { ensureSelfSigned } from '../../packages/daemon/dist/self-signed.js';

/** A folder that is removed when the process ends. `SVC_BENCH_FOLDER` says where, to measure another disk than /tmp. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(process.env.SVC_BENCH_FOLDER ?? tmpdir(), 'svc-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Limits of every kind, wide enough that nothing is refused: each gate has its work to do. */
export const wideLimits = {
  allowed_markets: ['HK', 'US', 'SG'],
  allowed_symbols: ['HK.00700', 'HK.00005', 'HK.09988', 'US.AAPL', 'US.NIO'],
  allowed_trd_sides: ['BUY', 'SELL'],
  hours_window: '00:00-00:00',
  max_order_value: 10_000_000,
  max_daily_value: 100_000_000_000,
  max_orders_per_minute: 100_000,
};

/** Writes a keys file of so many keys; its path and the keys' texts. */
export function writeKeys(folder, count, { limits = wideLimits, scopes = ['qot:read', 'acc:read', 'trade:simulate'] } = {}) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `keys-${count}.json`);
  const texts = Array.from({ length: count }, () => generateKeyText());
  const keys = texts.map((text, index) => ({
    id: `desk-${index}`,
    hash: createHash('sha256').update(text).digest('hex'),
    scopes,
    limits,
    allowed_machines: null,
    created_at: '2026-01-01T00:00:00Z',
    expires_at: '2099-01-01T00:00:00Z',
    note: 'made by the bench',
  }));
  writeFileSync(path, JSON.stringify({ version: 2, keys }), { mode: 0o600 });
  return { path, texts };
}

/** A self-signed certificate for localhost. */
export async function writeCertificate(folder) {
  const [cert, key] = [join(folder, 'bench.crt'), join(folder, 'bench.key')];
  await ensureSelfSigned(cert, key, Date.now());
  return { cert, key };
}
