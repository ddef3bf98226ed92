import { mkdirSync, readFileSync, renameSync, statSync, write, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/access.js';
import { AuditLog, type AuditLogOptions } from './audit.js';
import { type AuditEvent, auditLine } from './audit-event.js';
import { LineFile } from './line-file.js';

const noon = Date.UTC(2026, 7, 1, 12);
const allow: AuditEvent = { iface: 'rest', endpoint: '/api/quote', keyId: 'k', outcome: 'allow', reason: '', requestId: 'r1' };

function auditLog(options: Partial<AuditLogOptions> = {}) {
  const path = join(temporaryFolder(), 'audit.jsonl');
  const clock = new ManualClock(noon);
  const report = vi.fn();
  const opened = AuditLog.open({ path, clock, report, log: () => {}, ...options });
  if (!opened.ok) throw new Error(opened.error);
  return {
    audit: opened.value,
    path,
    clock,
    report,
    lines: () =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

describe('auditLine', () => {
  it('is JSON of the fields, whatever they hold', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.option(fc.string({ unit: 'binary' })),
        fc.string(),
        fc.string(),
        (endpoint, keyId, reason, requestId) => {
          const line = auditLine({ ...allow, endpoint, keyId, reason, requestId }, new Date(noon).toISOString());
          expect(line).toMatch(/^[\x20-\x7e]*$/);
          expect(line).not.toMatch(/[\n\r]/);
          const expected = {
            time: new Date(noon).toISOString(),
            target: 'audit',
            iface: 'rest',
            endpoint,
            key_id: keyId,
            outcome: 'allow',
            reason,
            request_id: requestId,
          };
          expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify(expected));
        },
      ),
    );
  });

  it('spells accounts and amounts of a trade to the last digit', () => {
    const trade = {
      accId: 281756455983234027n,
      orderId: '900719925474099301',
      symbol: 'HK.00700',
      side: 'BUY',
      qty: 100_000_000_000n,
      price: 320_500_000_000n,
    };
    expect(auditLine({ ...allow, outcome: 'trade', trade }, new Date(noon).toISOString())).toContain(
      '"outcome":"trade","reason":"","request_id":"r1","acc_id":281756455983234027,"order_id":"900719925474099301","symbol":"HK.00700","side":"BUY","qty":100,"price":320.5}',
    );
  });
});

describe('AuditLog', () => {
  it('keeps the order and the moments of any number of events of one turn', async () => {
    const { audit, lines, clock } = auditLog();
    const ids = Array.from({ length: 1000 }, (_, index) => `r${index}`);
    for (const requestId of ids) {
      audit.record({ ...allow, requestId });
      clock.advance(1);
    }
    expect(await audit.written()).toBe(true);
    expect(lines().map(({ request_id }) => request_id)).toEqual(ids);
    expect(lines().map(({ time }) => Date.parse(time) - noon)).toEqual(ids.map((_, index) => index));
    await audit.close();
  });

  it('writes every event to the file and to the log, in order', async () => {
    const log = vi.fn();
    const { audit, lines, path, clock } = auditLog({ log });
    const reject = { ...allow, keyId: null, outcome: 'reject', reason: 'limit: rate limit exceeded: 5 orders in the last 60 s' } as const;
    audit.record(allow);
    clock.advance(5);
    audit.record(reject);
    await audit.close();
    expect(lines()).toMatchObject([
      {
        time: '2026-08-01T12:00:00.000Z',
        target: 'audit',
        iface: 'rest',
        endpoint: '/api/quote',
        key_id: 'k',
        outcome: 'allow',
        request_id: 'r1',
      },
      { time: '2026-08-01T12:00:00.005Z', key_id: null, outcome: 'reject', reason: expect.stringMatching(/^limit: rate limit exceeded: /) },
    ]);
    expect(log.mock.calls).toEqual([[allow], [reject]]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('works without a file', async () => {
    const log = vi.fn();
    const audit = AuditLog.open({ clock: new ManualClock(noon), log, report: () => {} });
    if (!audit.ok) throw new Error(audit.error);
    audit.value.record(allow);
    expect(log).toHaveBeenCalledOnce();
    expect(await audit.value.reopen()).toEqual({ ok: true, value: undefined });
    await audit.value.close();
  });

  it('does not open where it cannot write', () => {
    const opened = AuditLog.open({
      path: join(temporaryFolder(), 'none', 'audit'),
      clock: new ManualClock(noon),
      log: () => {},
      report: () => {},
    });
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining('cannot open') });
  });

  it('goes on in a new file after a rotation, and loses no line at the seam', async () => {
    const { audit, path } = auditLog();
    const endpoints: string[] = [];
    for (let turn = 0; turn < 20; turn++) {
      for (let n = 0; n < 500; n++) {
        endpoints.push(`/${turn}/${n}`);
        audit.record({ ...allow, endpoint: `/${turn}/${n}` });
      }
      if (turn % 5 === 4) {
        renameSync(path, `${path}.${turn}`);
        await audit.reopen();
      } else await new Promise(setImmediate);
    }
    await audit.close();
    const files = [4, 9, 14, 19].map((turn) => `${path}.${turn}`).concat(path);
    const text = files.map((file) => readFileSync(file, 'utf8'));
    for (const part of text) expect(part === '' || part.endsWith('}\n')).toBe(true);
    expect(
      text
        .join('')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).endpoint),
    ).toEqual(endpoints);
  });

  it('keeps the old file when the new one cannot be opened', async () => {
    const { audit, path, report } = auditLog();
    renameSync(path, `${path}.1`);
    mkdirSync(path);
    expect(await audit.reopen()).toMatchObject({ ok: false, error: expect.stringContaining('cannot open') });
    expect(report).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('the old file stays in use'));
    audit.record(allow);
    await audit.close();
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('/api/quote');
  });

  it('starts a new line where a crash cut the last one short', async () => {
    const { path } = auditLog();
    writeFileSync(path, '{"time":"2026');
    const { audit } = auditLog({ path });
    audit.record(allow);
    await audit.close();
    const [cut, whole] = readFileSync(path, 'utf8').split('\n');
    expect(cut).toBe('{"time":"2026');
    expect(JSON.parse(whole ?? '')).toMatchObject({ endpoint: '/api/quote' });
  });
});

describe('LineFile on a failing disk', () => {
  /** A disk that writes 7 bytes at a time and fails while `broken`. */
  function failing(heldMax?: number) {
    const path = join(temporaryFolder(), 'lines');
    const clock = new ManualClock(noon);
    const report = vi.fn();
    const disk = { broken: false };
    const writeBytes = ((
      file: number,
      bytes: Buffer,
      offset: number,
      length: number,
      _: null,
      done: (error: Error | null, written: number) => void,
    ) => {
      if (disk.broken) setImmediate(done, new Error('no space'), 0);
      else write(file, bytes, offset, Math.min(7, length), null, done);
    }) as unknown as typeof write;
    const opened = LineFile.open({ path, clock, report, writeBytes, ...(heldMax === undefined ? {} : { heldMax }) });
    if (!opened.ok) throw new Error(opened.error);
    return {
      file: opened.value,
      path,
      clock,
      report: () => report.mock.calls.map(([message]) => String(message).replace(path, 'FILE')),
      disk,
    };
  }

  it('loses nothing while it lasts, and says so once', async () => {
    const { file, path, clock, report, disk } = failing();
    file.append('first line');
    await file.flush();
    disk.broken = true;
    file.append('second line');
    await file.flush();
    file.append('third line');
    clock.advance(3_000);
    await file.flush();
    expect(report()).toEqual(['cannot write FILE: no space; lines are held in memory']);
    disk.broken = false;
    clock.advance(1_000);
    await file.flush();
    expect(readFileSync(path, 'utf8')).toBe('first line\nsecond line\nthird line\n');
    expect(report()).toEqual([expect.any(String), 'FILE is written again']);
    await file.close();
  });

  it('confirms written lines; lines of one turn share one write', async () => {
    const path = join(temporaryFolder(), 'lines');
    let writes = 0;
    const writeBytes = ((...args: Parameters<typeof write>) => {
      writes += 1;
      write(...args);
    }) as unknown as typeof write;
    const opened = LineFile.open({ path, clock: new ManualClock(noon), report: () => {}, writeBytes });
    if (!opened.ok) throw new Error(opened.error);
    const asked = ['a', 'b', 'c'].map((line) => {
      opened.value.append(line);
      return opened.value.written();
    });
    expect(await Promise.race(asked)).toBe(true);
    expect([readFileSync(path, 'utf8'), writes]).toEqual(['a\nb\nc\n', 1]);
    expect(await Promise.all(asked)).toEqual([true, true, true]);
    await opened.value.close();
  });

  it('resolves every waiter once the lines are written', async () => {
    const { file, disk, clock } = failing();
    disk.broken = true;
    file.append('first');
    expect(await file.written()).toBe(false);
    file.append('second');
    expect([await file.written(), file.linesLost, file.failure]).toEqual([false, 0, expect.stringContaining('no space')]);
    disk.broken = false;
    clock.advance(1_000);
    await file.flush();
    expect([await file.written(), file.failure]).toEqual([true, undefined]);
    await file.close();
  });

  it('takes a write that makes no progress for a failed one', async () => {
    const path = join(temporaryFolder(), 'lines');
    const clock = new ManualClock(noon);
    const report = vi.fn();
    const hanging = (() => undefined) as unknown as typeof write;
    const opened = LineFile.open({ path, clock, report, writeBytes: hanging });
    if (!opened.ok) throw new Error(opened.error);
    opened.value.append('first');
    const written = opened.value.written();
    await new Promise(setImmediate);
    clock.advance(1_000);
    expect(await written).toBe(false);
    expect(report).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('no write has completed for 1 s'));
  });

  it('bounds its memory, and says how many lines were lost', async () => {
    const { file, path, report, disk } = failing(100);
    disk.broken = true;
    for (let n = 0; n < 50; n++) file.append(`line ${n}`);
    await file.flush();
    disk.broken = false;
    await file.flush();
    const written = readFileSync(path, 'utf8').trimEnd().split('\n').length;
    expect(written).toBeLessThan(20);
    expect(report()).toEqual([
      'FILE: the buffer is full, lines are being lost',
      'cannot write FILE: no space; lines are held in memory',
      `FILE is written again; ${50 - written} lines were lost`,
    ]);
    await file.close();
  });

  it('moves to a new file at a rotation even then, with whole lines', async () => {
    const { file, path, disk } = failing();
    file.append('a line of more than seven bytes');
    const flushed = file.flush();
    disk.broken = true;
    await flushed;
    renameSync(path, `${path}.1`);
    disk.broken = false;
    await file.reopen();
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('a line of more than seven bytes\n');
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('a line ');
  });

  it('reports lost lines on close', async () => {
    const { file, report, disk } = failing();
    disk.broken = true;
    file.append('lost');
    await file.close();
    expect(report()).toEqual([
      'cannot write FILE: no space; lines are held in memory',
      'FILE: 5 bytes were lost, the file could not be written',
    ]);
  });
});
