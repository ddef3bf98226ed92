import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpawnedDaemon } from '../support/spawned-daemon.js';

/** Runs before svcd: sends it a signal as soon as it has opened or read a file whose path ends like this. */
const signalAt = (signal: string, ending: RegExp) => `
  const fs = require('node:fs');
  for (const method of ['openSync', 'readFileSync']) {
    const real = fs[method];
    fs[method] = (path, ...rest) => {
      try {
        return real(path, ...rest);
      } finally {
        if (${ending}.test(String(path))) process.kill(process.pid, '${signal}');
      }
    };
  }
  require('node:module').syncBuiltinESMExports();
`;

describe.skipIf(process.platform === 'win32')('a signal at the very start of svcd', () => {
  let folder: string;
  let daemon: SpawnedDaemon;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-hang-up-'));
    daemon = new SpawnedDaemon(false);
  });
  afterEach(async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const boot = (signal: string, ending: RegExp) => {
    const preload = join(folder, 'preload.cjs');
    writeFileSync(preload, signalAt(signal, ending));
    return daemon.boot(['--demo'], [process.execPath, '--require', preload]);
  };

  it.each([
    ['its program', /svcd\.cjs$/],
    ['its settings', /config\.toml$/],
    ['its certificate', /localhost\.crt$/],
  ])('does not end it when it is SIGHUP, while it reads %s', async (_, ending) => {
    await boot('SIGHUP', ending);
    expect(await daemon.end('SIGTERM')).toBe(0);
  });

  it('leaves no half-written file behind when it is Ctrl-C', async () => {
    await expect(boot('SIGINT', /localhost\.key\.\d+\.new$/)).rejects.toThrow('ended with status 0');
    const files = readdirSync(daemon.folder, { recursive: true }).map(String);
    expect(files).toContain(join('config', 'tls', 'localhost.key'));
    expect(files.filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});
