import { EventEmitter } from 'node:events';
import { generateKeyText } from '@svc-gateway/access';
import { expect, it } from 'vitest';
import { createLog, gathered } from './log.js';

function logged(readable: boolean, write: (log: ReturnType<typeof createLog>) => void, level: 'info' | 'warn' = 'info'): string[] {
  const lines: string[] = [];
  write(createLog({ level, readable, target: { write: (line) => lines.push(line) } }));
  return lines;
}

it('writes one JSON object a line, of the level asked for and above', () => {
  const lines = logged(
    false,
    (log) => {
      log.info('quiet');
      log.warn({ port: 22499 }, 'loud');
    },
    'warn',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/\n$/);
  expect(JSON.parse(lines[0] ?? '')).toEqual({ level: 40, time: expect.stringMatching(/Z$/), port: 22499, msg: 'loud' });
});

it.each([false, true])('never writes a key or a password, wherever they stand (readable: %s)', (readable) => {
  const key = generateKeyText();
  const text = logged(readable, (log) => {
    log.info(`called with ${key}`);
    log.info({ url: `/ws?token=${key}`, req: { headers: { authorization: 'Basic aHVudGVyMg==' } } }, 'upgrade');
    log.info({ settings: { simTradePassword: 'hunter2' }, password: 'hunter2', body: { pwd_md5: 'hunter2' } }, 'all');
    log.error(new Error(`bad key ${key}`), 'failed');
    log.child({ apiKey: 'hunter2' }).warn('child');
  }).join('');
  expect(text.match(/\n/g)?.length).toBeGreaterThanOrEqual(5);
  for (const secret of [key, 'hunter2', 'aHVudGVyMg']) expect(text).not.toContain(secret);
  expect(text).toContain('[removed]');
});

it.each([false, true])('writes no line without a bound (readable: %s)', (readable) => {
  const lines = logged(readable, (log) => {
    log.info({ path: 'x'.repeat(1_000_000) }, 'x'.repeat(1_000_000));
    log.info({ names: Array.from({ length: 10_000 }, (_, index) => `name ${index}`) }, 'names');
  });
  for (const line of lines) expect(line.length).toBeLessThan(16_100);
  expect(lines[0]).toContain('… (1000000 characters)');
  expect(lines[1]).toContain('names');
});

it('writes lines for people, with fields and the trace of an error', () => {
  const [line = '', failure = ''] = logged(true, (log) => {
    log.warn({ path: '/x', n: 3 }, 'slow');
    log.error(new Error('boom'), 'failed');
  });
  expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}slow {2}path=\/x {2}n=3\n$/);
  expect(failure).toMatch(/ERROR failed\n {2}Error: boom\n {6}at /);
});

it('shows a terminal nothing that would steer it', () => {
  const [line = '', failure = ''] = logged(true, (log) => {
    log.warn({ reason: 'cleared\u001b[2J\nERROR made up' }, 'bell\u0007\u009b');
    log.error(new Error('bad\u001b[2J'), 'failed');
  });
  expect(line).toMatch(/WARN {2}bell\\x07\\x9b {2}reason=cleared\\x1b\[2J\\x0aERROR made up\n$/);
  expect(failure).toMatch(/ERROR failed\n {2}Error: bad\\x1b\[2J\n {6}at /);
});

it('writes the lines of one turn together, and what is left at exit', async () => {
  const writes: string[] = [];
  const process = new EventEmitter();
  const target = gathered({ write: (lines) => writes.push(lines) }, process as unknown as NodeJS.Process);
  target.write('a\n');
  target.write('b\n');
  expect(writes).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  target.write('c\n');
  process.emit('exit');
  await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toEqual(['a\nb\n', 'c\n']);
});
