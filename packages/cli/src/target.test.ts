import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { demoKeyPath, readDemoRecord, removeDemoRecord, writeDemoRecord } from '@svc-gateway/control/demo-record';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resolveTarget, type TargetOptions } from './target.js';

let folder: string;
let caFile: string;
const [certificate = ''] = rootCertificates;
const rest = 'https://127.0.0.1:22499';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-target-'));
  caFile = join(folder, 'localhost.crt');
  writeFileSync(caFile, certificate);
  writeFileSync(demoKeyPath(folder), 'svc_demo\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function runDemo(pid = process.pid, at = rest): void {
  writeDemoRecord(folder, { rest: at, caFile, pid });
}

function target(options: TargetOptions = {}, env: Record<string, string> = {}) {
  const resolved = resolveTarget(options, { SVC_STATE_DIR: folder, ...env });
  if (!resolved.ok) throw new Error(resolved.error);
  const { url, apiKey, ca } = resolved.value;
  return { url: url.origin, apiKey, ca };
}

it('takes the local daemon without a key where no demo runs', () => {
  expect(target()).toEqual({ url: 'http://127.0.0.1:22499', apiKey: undefined, ca: undefined });
});

it('finds the local daemon on the port that the daemon is told', () => {
  expect(target({}, { SVC_REST_PORT: '8443' }).url).toBe('http://127.0.0.1:8443');
  for (const none of ['0', '', 'x', '123456']) expect(target({}, { SVC_REST_PORT: none }).url).toBe(rest.replace('https', 'http'));
});

it('finds the running demo: its address, its key, and its certificate as the only authority', () => {
  runDemo();
  const demo = { url: rest, apiKey: 'svc_demo', ca: certificate };
  expect(target()).toEqual(demo);
  expect(target({ restUrl: rest })).toEqual(demo);
  expect(target({}, { SVC_REST_URL: `${rest}/` })).toEqual(demo);
  expect(target({ apiKey: 'svc_mine' })).toEqual({ ...demo, apiKey: 'svc_mine' });
});

it('sends the demo’s key to no other daemon', () => {
  runDemo();
  for (const options of [
    { restUrl: 'http://127.0.0.1:22499' },
    { restUrl: 'https://127.0.0.1:22500' },
    { restUrl: 'https://desk.example:22499' },
    { restUrl: rest, caFile },
    { caFile },
  ]) {
    expect(target(options).apiKey).toBeUndefined();
  }
  for (const elsewhere of ['https://desk.example', 'http://127.0.0.1:22499']) {
    runDemo(process.pid, elsewhere);
    expect(target().apiKey).toBeUndefined();
  }
});

it('stays with the address of the demo when it is told what to trust', () => {
  runDemo();
  expect(target({ caFile })).toEqual({ url: rest, apiKey: undefined, ca: certificate });
  expect(target({ apiKey: 'svc_mine' }, { SVC_CA_FILE: caFile })).toEqual({ url: rest, apiKey: 'svc_mine', ca: certificate });
});

it.each([
  ['a text', '# Read me\n', 'holds no certificate'],
  ['nothing', '', 'holds no certificate'],
  ['a damaged certificate', certificate.replace(/\n.{8}/, '\nAAAAAAAA'), 'certificate 1 is damaged'],
  ['a damaged second one', `${certificate}\n${certificate.replace(/\n.{8}/, '\nAAAAAAAA')}`, 'certificate 2 is damaged'],
])('names a file that holds %s in place of a certificate', (_, text, problem) => {
  const path = join(folder, 'README.md');
  writeFileSync(path, text);
  expect(() => target({ caFile: path })).toThrow(`--ca-file: ${path} `);
  expect(() => target({ caFile: path })).toThrow(problem);
  expect(() => target({}, { SVC_CA_FILE: path })).toThrow(`SVC_CA_FILE: ${path} `);
});

it('forgets a demo that has ended, orderly or not', () => {
  runDemo(2 ** 30);
  expect(target().url).toBe('http://127.0.0.1:22499');
  runDemo();
  removeDemoRecord(folder, process.pid + 1);
  expect(readDemoRecord(folder)).toEqual({ rest, caFile, pid: process.pid });
  removeDemoRecord(folder, process.pid);
  expect(readDemoRecord(folder)).toBeUndefined();
  writeFileSync(join(folder, 'demo.json'), 'junk');
  expect(readDemoRecord(folder)).toBeUndefined();
});

it('prefers options to variables', () => {
  const env = { SVC_REST_URL: 'https://a.example', SVC_API_KEY: 'svc_a', SVC_CA_FILE: caFile };
  expect(target({}, env)).toEqual({ url: 'https://a.example', apiKey: 'svc_a', ca: certificate });
  expect(target({ restUrl: 'https://b.example', apiKey: 'svc_b' }, env)).toMatchObject({ url: 'https://b.example', apiKey: 'svc_b' });
});

it('takes plain HTTP with a key on this machine only', () => {
  expect(target({ restUrl: 'http://localhost:1', apiKey: 'k' }).apiKey).toBe('k');
  expect(target({ restUrl: 'http://[::1]:1', apiKey: 'k' }).apiKey).toBe('k');
  expect(() => target({ restUrl: 'http://127.example.com', apiKey: 'k' })).toThrow('plaintext');
});
