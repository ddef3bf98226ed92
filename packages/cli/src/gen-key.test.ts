import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { err, Keyring, machineFingerprint, ok, scopesIn } from '@svc-gateway/access';
import type { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SymbolSet } from '../../access/src/symbol-set.js';
import type { CommandLine } from './command-line.js';
import { genKeyCommand } from './gen-key.js';
import { machineIdCommand } from './machine-id.js';

const noon = Date.UTC(2026, 7, 1, 12);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-gen-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command as the shell would. */
async function run(make: (world: CommandLine) => Command, args: string[], changes: Partial<CommandLine> = {}) {
  const result = { out: '', explained: '', status: 0 };
  const world: CommandLine = {
    env: { SVC_CONFIG_DIR: folder },
    out: (text) => (result.out += text),
    explain: (text) => (result.explained += text),
    now: () => noon,
    readMachineId: () => ok('raw-id'),
    ...changes,
  };
  const command = make(world)
    .exitOverride()
    .configureOutput({ writeErr: (text) => (result.explained += text), writeOut: (text) => (result.out += text) });
  await command.parseAsync(args, { from: 'user' }).catch((thrown: { exitCode: number }) => {
    result.status = thrown.exitCode;
  });
  return result;
}
const genKey = (...args: string[]) => run(genKeyCommand, args);

function keyring(path = join(folder, 'keys.json')) {
  const opened = Keyring.open({ path, clock: { now: () => noon }, readMachineId: () => ok('raw-id') });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

describe('svcctl gen-key', () => {
  it('prints a key that works, once, and says where its hash went', async () => {
    const { out, explained, status } = await genKey('--id', 'desk', '--scopes', 'qot:read, trade:simulate');
    expect(status).toBe(0);
    expect(out).toMatch(/^svc_[A-Za-z0-9_-]{43}\n$/);
    expect(explained).toContain(join(folder, 'keys.json'));
    expect(explained).toContain('svcctl reload');
    expect(explained).not.toContain(out.trim());
    const named = keyring().authenticate(out.trim());
    expect(named.ok && scopesIn(named.value.scopes)).toEqual(['qot:read', 'trade:simulate']);
    expect(readFileSync(join(folder, 'keys.json'), 'utf8')).not.toContain(out.trim());
  });

  it('writes every limit, exactly, into the file it is told', async () => {
    const path = join(folder, 'other.json');
    const limits = [
      ...['--allowed-markets', 'HK,US', '--allowed-symbols', 'HK.00700', '--allowed-trd-sides', 'BUY', '--hours-window', '22:00-04:00'],
      ...['--max-order-value', '100000.10', '--max-daily-value', '1000000', '--limits-currency', 'HKD', '--max-orders-per-minute', '5'],
      ...['--allowed-acc-ids', '281756455983234027', '--expires', '30d', '--note', 'desk "1"'],
    ];
    const { out, status } = await genKey('--id', 'desk', '--scopes', 'trade:real', '--rest-keys-file', path, ...limits);
    expect(status).toBe(0);
    expect(keyring(path).authenticate(out.trim())).toMatchObject({
      value: {
        createdAt: noon,
        expiresAt: noon + 30 * 86_400_000,
        note: 'desk "1"',
        allowedMachines: null,
        limits: {
          allowedMarkets: new Set(['HK', 'US']),
          allowedSymbols: new SymbolSet(['HK.00700']),
          allowedTrdSides: new Set(['BUY']),
          hoursWindow: { startMinute: 1320, endMinute: 240 },
          maxOrderValue: 100_000_100_000_000n,
          limitsCurrency: 'HKD',
          maxDailyValue: 1_000_000_000_000_000n,
          maxOrdersPerMinute: 5,
          allowedAccIds: new Set([281756455983234027n]),
        },
      },
    });
  });

  it('binds a key to machines', async () => {
    const other = machineFingerprint('desk', 'elsewhere');
    const here = await genKey('--id', 'desk', '--scopes', 'qot:read', '--bind-this-machine', '--bind-machines', other);
    expect(keyring().authenticate(here.out.trim())).toMatchObject({
      ok: true,
      value: { allowedMachines: [other, machineFingerprint('desk', 'raw-id')] },
    });
    const there = await genKey('--id', 'remote', '--scopes', 'qot:read', '--bind-machines', other);
    expect(keyring().authenticate(there.out.trim())).toMatchObject({ ok: false, error: { code: 'auth.machine' } });
  });

  it('makes a key for the public SDKs', async () => {
    const { out } = await genKey('--id', 'sdk', '--scopes', 'qot:read', '--sdk');
    const md5 = createHash('md5').update(out.trim()).digest('hex');
    expect(keyring().authenticateSdk(md5)).toMatchObject({ ok: true, value: { id: 'sdk' } });
  });

  it('takes a time, a day or a span as expiry', async () => {
    for (const [text, time] of [
      ['2027-01-31T08:00:00Z', Date.UTC(2027, 0, 31, 8)],
      ['2027-01-31', Date.UTC(2027, 0, 31)],
      ['90m', noon + 90 * 60_000],
      ['2w', noon + 14 * 86_400_000],
    ] as const) {
      const { out } = await genKey('--id', text, '--scopes', 'qot:read', '--expires', text);
      expect(keyring().authenticate(out.trim())).toMatchObject({ value: { expiresAt: time } });
    }
  });

  it.each([
    [['--scopes', 'qot:reed'], 2, 'unknown scope "qot:reed", did you mean "qot:read"?; accepted: qot:read'],
    [['--scopes', ','], 2, '--scopes names no scope'],
    [['--scopes', 'qot:read', '--max-order-value', '-5'], 2, '--max-order-value must be a non-negative number'],
    [['--scopes', 'qot:read', '--limits-currency', 'hkd'], 2, '--limits-currency: unknown currency "hkd", did you mean "HKD"?'],
    [['--scopes', 'qot:read', '--expires', 'soon'], 2, '--expires must be like'],
    [['--scopes', 'qot:read', '--expires', '2026-08-01T11:59:59Z'], 2, '--expires is in the past'],
    [['--scopes', 'qot:read', '--bind-machines', 'fp_1'], 2, '"fp_1" is not a fingerprint'],
    [['--scopes', 'qot:read', '--id', ' '], 2, '--id must be 1 to 128 visible characters'],
    [['--scopes', 'qot:read', '--keys-file', 'a', '--rest-keys-file', 'b'], 1, 'cannot be used with'],
    [[], 1, "required option '--scopes <list>' not specified"],
  ])('refuses %j', async (args, status, message) => {
    const result = await genKey('--id', 'desk', ...args);
    expect(result).toMatchObject({ status, out: '' });
    expect(result.explained).toContain(message);
  });

  it('refuses an id that is taken', async () => {
    await genKey('--id', 'desk', '--scopes', 'qot:read');
    const again = await genKey('--id', 'desk', '--scopes', 'qot:read');
    expect(again).toMatchObject({ status: 1, out: '' });
    expect(again.explained).toContain('duplicate id "desk"');
  });
});

describe('svcctl machine-id', () => {
  it('prints the fingerprint for a key, and without one the raw id', async () => {
    expect(await run(machineIdCommand, ['--for-key', 'desk'])).toEqual({
      out: `${machineFingerprint('desk', 'raw-id')}\n`,
      explained: '',
      status: 0,
    });
    const raw = await run(machineIdCommand, []);
    expect(raw.out).toBe('raw-id\n');
    expect(raw.explained).toContain('--for-key');
  });

  it('says when the machine has none', async () => {
    const result = await run(machineIdCommand, [], { readMachineId: () => err('machine binding is not supported on Windows') });
    expect(result).toMatchObject({ out: '', status: 1, explained: expect.stringContaining('not supported on Windows') });
    expect(
      (await run(genKeyCommand, ['--id', 'a', '--scopes', 'qot:read', '--bind-this-machine'], { readMachineId: () => err('no id') }))
        .status,
    ).toBe(2);
  });
});
