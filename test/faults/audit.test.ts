import { spawnSync } from 'node:child_process';
import { createReadStream, symlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { stoppedAfterEach } from '../support/daemon.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';
import { Books } from './books.js';
import { acknowledgedId, KeepAliveLine, placeConcurrently } from './load.js';

const keys = { bot: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'admin', 'metrics:read'] } } as const;
const KILLS = 3;
const ANSWERS_BEFORE_A_KILL = 150;

const kept = stoppedAfterEach();

/** A daemon whose audit file is what `prepare` makes of its path. */
async function daemonOn(prepare: (auditPath: string) => void, flags: readonly string[] = []): Promise<SpawnedDaemon<'bot'>> {
  const daemon = kept(new SpawnedDaemon<'bot'>(true));
  await daemon.addKey('bot', keys.bot);
  prepare(daemon.auditPath);
  await daemon.boot(['--enable-trading', ...flags]);
  return daemon;
}

const bodyOf = (remark: string) => ({
  ...{ acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 20, qty: 400 },
  remark,
});
const metric = (text: string, name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);

describe('the trail', () => {
  it('has every write that was acknowledged before a kill -9', async () => {
    const daemon = await daemonOn(() => undefined);
    let orders = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill > 0) await daemon.boot(['--enable-trading']);
      let answers = 0;
      let ended: Promise<unknown> | undefined;
      const next = () => {
        orders += 1;
        return { key: `order-${orders}`, body: bodyOf(`order-${orders}`) };
      };
      const load = placeConcurrently(daemon, () => 'bot', next, {
        connections: 16,
        onAnswer: () => {
          answers += 1;
          if (answers === ANSWERS_BEFORE_A_KILL) ended = daemon.end('SIGKILL');
        },
      });
      const answered = (await load.finished).filter((attempt) => acknowledgedId(attempt) !== undefined);
      const acknowledged = answered.map(({ answer }) => JSON.parse(answer?.text ?? '').s2c.order_id_ex as string);
      await ended;
      const audited = new Set(daemon.auditLines().map(({ order_id }) => order_id));
      expect(acknowledged.length).toBeGreaterThanOrEqual(ANSWERS_BEFORE_A_KILL);
      expect(acknowledged.filter((id) => !audited.has(id))).toEqual([]);
    }
  });

  it('holds no key text, wherever a caller wrote it', async () => {
    const daemon = await daemonOn(() => undefined);
    const key = daemon.keys.bot;
    await daemon.as('bot').get(`/api/${key}`);
    await daemon.as('bot').post('/api/quote', { symbol: `HK.${key}` });
    await daemon.as('bot').post('/api/quote', { [key]: 1 });
    const trail = await until(() => {
      const lines = daemon.auditLines();
      return lines.length >= 3 ? JSON.stringify(lines) : undefined;
    }, 'three lines');
    expect(trail).toContain('[removed]');
    expect(trail + daemon.stderr).not.toContain(key);
  });
});

describe.skipIf(process.platform !== 'linux')('an audit file that takes nothing', () => {
  const fullDisk = (path: string) => symlinkSync('/dev/full', path);

  it('does not keep writes from being made, and shows', async () => {
    const daemon = await daemonOn(fullDisk);
    expect((await daemon.as('bot').post('/api/order', bodyOf('one'))).json.ret_type).toBe(0);
    const ready = await daemon.as().get('/readyz');
    expect([ready.status, ready.json.troubles]).toEqual([200, [expect.stringMatching(/^audit: cannot write .*ENOSPC/)]]);
    const { text } = await daemon.as('bot').get('/metrics');
    expect([metric(text, 'svc_audit_writable'), metric(text, 'svc_audit_lines_lost_total')]).toEqual([0, 0]);
    expect((await daemon.as('bot').get('/api/admin/status')).json.s2c.troubles).toEqual(ready.json.troubles);
    expect(daemon.stderr).toContain('lines are held in memory');
    expect(await daemon.end()).toBe(0);
  });

  it('keeps them from being made where it is required: nothing is sent, reads go on', async () => {
    const daemon = await daemonOn(fullDisk, ['--audit-required']);
    // A preview says so as well, though its own line may be the first that the file does not take.
    for (const body of [bodyOf('one'), { operation: 'place_bracket_order', ...bodyOf('one'), stop_loss_price: 10 }]) {
      const preview = await daemon.as('bot').post('/api/preview', body);
      expect([preview.status, preview.json.code]).toEqual([503, 'audit.unavailable']);
    }
    const all = { operation: 'cancel_all_order', acc_id: HK_CASH, env: SIMULATE, market: HK };
    expect((await daemon.as('bot').post('/api/preview', all)).json.s2c).toMatchObject({ preview: 'cancel', would_pass: true });
    const refused = await daemon.as('bot').post('/api/order', bodyOf('one'), { 'idempotency-key': 'one' });
    expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([503, 'audit.unavailable', '1']);
    expect(refused.json.error).toContain('nothing was sent');
    expect(await new Books(daemon, 'bot').orders()).toEqual([]);
    const out = await daemon.as('bot').post('/api/cancel-all-order', { acc_id: HK_CASH, env: SIMULATE, market: HK });
    expect(out.json.ret_type).toBe(0);
    await until(() => /"target":"audit".*cancel_all_order while the disk takes no writes/.test(daemon.stderr), 'the line in the log');
    const ready = await daemon.as().get('/readyz');
    expect([ready.status, ready.json.status]).toEqual([503, 'unavailable']);
    expect((await daemon.as('bot').post('/api/quote', { symbol: 'HK.00005' })).status).toBe(200);
    expect(await daemon.end()).toBe(0);
  });

  it('is required to have a line of a write before the write leaves', async () => {
    const daemon = await daemonOn(() => undefined, ['--audit-required']);
    const placed = await daemon.as('bot').post('/api/order', bodyOf('one'));
    expect(placed.json.ret_type).toBe(0);
    expect(daemon.auditLines()).toMatchObject([
      { endpoint: 'POST /api/order', outcome: 'allow', reason: 'admitted, not sent yet' },
      { endpoint: 'POST /api/order', outcome: 'trade', request_id: placed.headers['x-request-id'] },
    ]);
  });

  it('may be a pipe that nobody reads: it gets its lines when somebody does, and ends with one SIGTERM', async () => {
    const daemon = await daemonOn((path) => spawnSync('mkfifo', [path]));
    expect((await daemon.as('bot').post('/api/order', bodyOf('one'))).json.ret_type).toBe(0);
    const reader = createReadStream(daemon.auditPath);
    const lines: string[] = [];
    createInterface(reader).on('line', (line) => lines.push(line));
    await until(() => lines.some((line) => line.includes('"outcome":"trade"')), 'the line that was held');
    reader.pause();
    const line = new KeepAliveLine(daemon, daemon.keys.bot);
    // More than a pipe holds.
    for (let count = 0; count < 300; count++) await line.post('/api/quote', { symbol: 'HK.00005' });
    expect((await line.post('/api/order', bodyOf('two'))).status).toBe(200);
    line.close();
    expect(await daemon.end()).toBe(0);
    reader.destroy();
  });
});

describe('the log', () => {
  it.each(['is closed', 'is not read'])('may go to a pipe that %s', async (fate) => {
    const daemon = await daemonOn(() => undefined);
    for (const output of daemon.outputs) {
      output.on('error', () => undefined);
      if (fate === 'is closed') output.destroy();
      else output.removeAllListeners('data').pause();
    }
    const line = new KeepAliveLine(daemon, daemon.keys.bot);
    // A line of the log each, at debug level: more than the pipe and what is kept for its reader.
    for (let count = 0; count < 500; count++) await line.post(`/api/${'x'.repeat(150)}`, {});
    expect((await line.post('/api/order', bodyOf('one'))).status).toBe(200);
    line.close();
    expect(await daemon.end()).toBe(0);
  });
});
