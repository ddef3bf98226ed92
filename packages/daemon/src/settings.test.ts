import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Environment } from './environment.js';
import { configKeyOf, flagOf, type SettingName, settingNames, settingOf, variableOf } from './settings-table.js';
import { planStartup, type Startup } from './startup.js';

let home: string;
let configDir: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-settings-'));
  configDir = join(home, '.config', 'svc');
  mkdirSync(configDir, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function plan(args: string[], variables: Environment['variables'] = {}, config?: string): Startup {
  const path = join(configDir, 'config.toml');
  rmSync(path, { force: true });
  if (config !== undefined) writeFileSync(path, config);
  return planStartup(args, { variables, home, cwd: '/srv', platform: 'linux' });
}

function run(args: string[], variables: Environment['variables'] = {}, config?: string) {
  const startup = plan(args, variables, config);
  if (startup.kind !== 'run') throw new Error(`refused: ${startup.text}`);
  return startup;
}

function refused(args: string[], variables: Environment['variables'] = {}, config?: string): string {
  const startup = plan(args, variables, config);
  if (startup.kind !== 'refuse') throw new Error(`not refused: ${startup.kind}`);
  return startup.text;
}

describe('resolution', () => {
  it('takes the defaults where nothing is given', () => {
    const { settings, sources, warnings } = run([]);
    expect(settings).toMatchObject({
      bind: '127.0.0.1',
      restPort: 22499,
      grpcPort: 22500,
      noGrpc: false,
      enableTrading: false,
      restKeysFile: null,
      wsMaxBacklog: 8 * 1024 * 1024,
      simClock: { mode: 'open' },
      configDir,
      stateDir: join(home, '.local/state/svc'),
    });
    expect(settings.limits.maxOrderValue).toBeNull();
    expect(new Set(sources.values())).toEqual(new Set(['default']));
    expect(warnings).toEqual([]);
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('prefers flag to environment to config.toml to default, whichever of them are given', () => {
    const portOf = fc.option(fc.integer({ min: 0, max: 65_535 }), { nil: undefined });
    fc.assert(
      fc.property(portOf, portOf, portOf, (flag, env, config) => {
        const { settings, sources } = run(
          flag === undefined ? [] : ['--rest-port', String(flag)],
          env === undefined ? {} : { SVC_REST_PORT: String(env) },
          config === undefined ? undefined : `\n# ports\nrest_port = ${config}\n`,
        );
        expect(settings.restPort).toBe(flag ?? env ?? config ?? 22_499);
        const source =
          flag !== undefined
            ? 'flag --rest-port'
            : env !== undefined
              ? 'SVC_REST_PORT'
              : config !== undefined
                ? `${configDir}/config.toml:3`
                : 'default';
        expect(sources.get('restPort')).toBe(source);
      }),
      { numRuns: 40 },
    );
  });

  it('turns switches on and off in every place', () => {
    expect(run(['--enable-trading']).settings.enableTrading).toBe(true);
    expect(run(['--enable-trading=false']).settings.enableTrading).toBe(false);
    expect(run(['--no-enable-trading'], { SVC_ENABLE_TRADING: '1' }).settings.enableTrading).toBe(false);
    expect(run([], { SVC_METRICS_PUBLIC: '1' }).settings.metricsPublic).toBe(true);
    expect(run([], {}, 'enable_trading = true').settings.enableTrading).toBe(true);
    expect(run([], { SVC_ENABLE_TRADING: '' }).settings.enableTrading).toBe(false);
  });

  it('accepts --keys-file for --rest-keys-file, and expands paths from where they stand', () => {
    const tls = ['--rest-tls-cert', '~/c.pem', '--rest-tls-key', 'k.pem'];
    const { settings } = run(['--keys-file', '/etc/keys.json', ...tls], {}, 'audit-log = "audit.jsonl"');
    expect(settings).toMatchObject({
      restKeysFile: '/etc/keys.json',
      restTlsCert: join(home, 'c.pem'),
      restTlsKey: '/srv/k.pem',
      auditLog: join(configDir, 'audit.jsonl'),
    });
  });

  it('makes one set of limits of all limit settings, exact to the last digit', () => {
    const config = 'max_order_value = 12345678901234567.891\nallowed_markets = ["HK", "CN"]';
    const { limits } = run(
      ['--max-orders-per-minute', '7', '--limits-currency', 'USD'],
      { SVC_MAX_DAILY_VALUE: '0.1', SVC_HOURS_WINDOW: '22:00-04:00' },
      config,
    ).settings;
    expect(limits).toMatchObject({
      maxOrderValue: 12_345_678_901_234_567_891_000_000n,
      maxDailyValue: 100_000_000n,
      limitsCurrency: 'USD',
      maxOrdersPerMinute: 7,
      hoursWindow: { startMinute: 22 * 60, endMinute: 4 * 60 },
    });
    expect([...(limits.allowedMarkets ?? [])]).toEqual(['HK', 'CN', 'SH', 'SZ']);
  });

  it('reads replay clocks with their zone and speed', () => {
    expect(run(['--sim-clock', 'replay:2026-03-02T09:30:00+08:00@2.5']).settings.simClock).toEqual({
      mode: 'replay',
      start: Date.UTC(2026, 2, 2, 1, 30),
      speed: 2.5,
    });
    expect(run(['--sim-clock', 'replay:2026-03-02']).settings.simClock).toEqual({ mode: 'replay', start: Date.UTC(2026, 2, 2), speed: 1 });
  });

  it('puts the demo between config.toml and the defaults', () => {
    const { settings, sources } = run(['--demo']);
    expect(settings).toMatchObject({
      enableTrading: true,
      restKeysFile: join(settings.stateDir, 'demo-keys.json'),
      restTlsCert: join(configDir, 'tls', 'localhost.crt'),
      restTlsKey: join(configDir, 'tls', 'localhost.key'),
    });
    expect(sources.get('enableTrading')).toBe('--demo');
    expect(run(['--demo', '--no-enable-trading']).settings.enableTrading).toBe(false);
    expect(run(['--demo', '--config-dir', '/c']).settings.restTlsCert).toBe('/c/tls/localhost.crt');
    expect(run(['--demo', '--rest-keys-file', '/k.json']).settings.restKeysFile).toBe('/k.json');
    for (const args of [
      run(['--demo', '--state-dir', '/s']),
      run(['--demo'], { SVC_STATE_DIR: '/s' }),
      run(['--demo'], {}, 'state_dir = "/s"'),
    ]) {
      expect(args.settings.restKeysFile).toBe('/s/demo-keys.json');
    }
  });

  it('warns of variables that look like a slip, and of no others', () => {
    const { warnings } = run([], { SVC_MAX_ORDER_VALU: '5', SVC_SERVICE_HOST: '10.0.0.1', SVC_API_KEY: 'x', PATH: '/bin' });
    expect(warnings).toEqual(['unknown environment variable SVC_MAX_ORDER_VALU ignored; did you mean SVC_MAX_ORDER_VALUE?']);
  });
});

describe('refusals', () => {
  it.each([
    ['--rest-port', '65536', 'a whole number from 0 to 65535'],
    ['--rest-port', '8O80', 'a whole number from 0 to 65535'],
    ['--rest-port', '-1', 'a whole number from 0 to 65535'],
    ['--rest-port', '80.5', 'a whole number from 0 to 65535'],
    ['--bind', '300.1.2.3', 'an IP address or a host name'],
    ['--bind', 'a b', 'an IP address or a host name'],
    ['--enable-trading', 'maybe', 'true or false'],
    ['--ws-max-backlog', '8MB', 'a size in bytes, KiB, MiB or GiB, 64KiB to 1GiB'],
    ['--ws-max-backlog', '1', 'a size in bytes, KiB, MiB or GiB, 64KiB to 1GiB'],
    ['--allowed-origins', 'desk.example', 'a list of web origins'],
    ['--allowed-origins', 'https://desk.example/path', 'a list of web origins'],
    ['--public-url', 'desk.example', 'an https address such as https://desk.example/gateway'],
    ['--public-url', 'http://desk.example', 'an https address'],
    ['--public-url', 'https://desk.example/?a=1', 'an https address'],
    ['--public-url', 'https://user:word@desk.example', 'an https address'],
    ['--log-level', 'verbose', 'one of trace, debug, info'],
    ['--auth-url', 'http://login.example', 'an https address'],
    ['--auth-url', 'https://user:word@login.example', 'an https address'],
    ['--login-account', 'a b', 'a user id (digits), an email address, or a phone number'],
    ['--platform', 'a b', '1 to 32 letters, digits, dots, dashes or underscores'],
    ['--device-name', 'x'.repeat(65), '1 to 64 characters without control characters'],
    ['--backend', 'opend://', 'sim (the simulated brokerage), remote (a brokerage that is logged in to) or opend://<host>:<port>'],
    [
      '--backend',
      'opend://127.0.0.1:0',
      'sim (the simulated brokerage), remote (a brokerage that is logged in to) or opend://<host>:<port>',
    ],
    [
      '--backend',
      'opend://1.2.3:11111',
      'sim (the simulated brokerage), remote (a brokerage that is logged in to) or opend://<host>:<port>',
    ],
    ['--sim-seed', 'abc', 'a whole number from 0 to 9007199254740991'],
    ['--sim-instruments', '20001', 'a whole number from 0 to 20000'],
    ['--sim-clock', 'replay:yesterday', 'open, calendar, or replay:'],
    ['--sim-clock', 'replay:2026-02-31', 'open, calendar, or replay:'],
    ['--sim-clock', 'replay:2026-02-01T09:30:00', 'open, calendar, or replay:'],
    ['--sim-clock', 'replay:2026-02-01@0', 'open, calendar, or replay:'],
    ['--history-kl-quota-max', '-3', 'a whole number from 0 to 1000000'],
    ['--hours-window', '9-17', 'HH:MM-HH:MM'],
    ['--max-order-value', '1e400', 'a non-negative number'],
    ['--max-order-value', '-5', 'a non-negative number'],
    ['--limits-currency', 'EUR', 'unknown currency "EUR"'],
    ['--max-orders-per-minute', '1.5', 'a whole number from 0 to 100000'],
    ['--allowed-markets', 'HK,XX', 'XX'],
    ['--allowed-trd-sides', 'HOLD', 'HOLD'],
    ['--allowed-symbols', '00700', 'MARKET.CODE'],
    ['--sim-data', '', 'a path'],
  ])('%s=%s: says what came and what is accepted, and where it came from', (flag, value, accepted) => {
    const name = settingNames.find((candidate) => flagOf(candidate) === flag) as SettingName;
    const fromFlag = refused([`${flag}=${value}`]);
    expect(fromFlag).toMatch(/^svcd: --/);
    for (const part of [flag, accepted, value.split(',').at(-1) ?? value]) expect(fromFlag).toContain(part);
    expect(refused([], {}, `# a comment\n${configKeyOf(name)} = ${JSON.stringify(value)}\n`)).toContain(
      `${configDir}/config.toml:2: ${flag}`,
    );
    // A variable set to nothing is not set.
    if (value !== '') expect(refused([], { [variableOf(name)]: value })).toContain(`svcd: ${variableOf(name)}: ${flag}`);
  });

  it('reports every problem at once', () => {
    expect(refused(['--rest-port=x', '--log-level=y']).trimEnd().split('\n')).toHaveLength(2);
    expect(refused(['--rest-prot', '1', 'extra']).trimEnd().split('\n')).toEqual([
      'svcd: unknown flag --rest-prot; did you mean --rest-port?',
      'svcd: unexpected argument "extra": svcd takes flags only (see svcd --help)',
    ]);
  });

  it('never lets a flag stand twice or without its value', () => {
    expect(refused(['--max-order-value', '5', '--max-order-value', '50'])).toContain('--max-order-value is given twice');
    expect(refused(['--keys-file', 'a', '--rest-keys-file', 'b'])).toContain('--rest-keys-file is given twice (as --keys-file too)');
    expect(refused(['--enable-trading', '--no-enable-trading'])).toContain('is given twice');
    expect(refused(['--no-enable-trading=true'])).toContain('--no-enable-trading takes no value');
    expect(refused(['--rest-port'])).toContain('--rest-port needs a value: --rest-port <port>');
    expect(refused(['--audit-log', '--enable-trading'])).toContain('--audit-log needs a value');
  });

  it('takes what follows a flag for its value, a dash before it or not', () => {
    expect(run(['--sim-trade-password', '-hunter2', '--allowed-symbols=', '--state-dir', '-x']).settings).toMatchObject({
      simTradePassword: '-hunter2',
      stateDir: '/srv/-x',
    });
    expect(refused(['--max-order-value', '-5'])).toContain('a non-negative number');
    expect(refused(['--enable-trading', 'false'])).toBe('svcd: unexpected argument "false": svcd takes flags only (see svcd --help)\n');
    expect(run(['--enable-trading=false', '--no-grpc=off', '--no-no-websocket']).settings).toMatchObject({
      enableTrading: false,
      noGrpc: false,
      noWebsocket: false,
    });
    expect(refused(['--', '--enable-trading'])).toContain('unexpected argument "--enable-trading"');
    expect(refused(['-x', '--help=please'])).toBe('svcd: unknown flag -x (see svcd --help)\nsvcd: --help takes no value; found "please"\n');
  });

  it('demands the whole TLS pair with a keys file, and loopback without one', () => {
    expect(refused(['--keys-file', 'k'])).toContain('--rest-keys-file needs --rest-tls-cert and --rest-tls-key');
    expect(refused(['--keys-file', 'k', '--rest-tls-cert', 'c'])).toContain('--rest-tls-cert is given without --rest-tls-key');
    expect(refused(['--rest-tls-key', 'c'])).toContain('--rest-tls-key is given without --rest-tls-cert');
    for (const address of ['0.0.0.0', '::', '192.168.1.5', 'desk.example']) {
      expect(refused(['--bind', address])).toContain(`--bind ${address} is not a loopback address`);
    }
    for (const address of ['localhost', '::1', '[::1]', '127.9.9.9']) run(['--bind', address]);
    run(['--bind', '0.0.0.0', '--keys-file', 'k', '--rest-tls-cert', 'c', '--rest-tls-key', 'k']);
  });

  it('demands of a login its address, account and password', () => {
    const login = ['--auth-url', 'https://login.example', '--login-account', '1001', '--login-pwd', 'x'];
    expect(run(['--backend', 'remote', ...login]).settings).toMatchObject({ platform: 'svc', verifyCode: null, setupOnly: false });
    expect(refused(['--backend', 'remote', ...login.slice(0, 2)])).toBe('svcd: --backend remote needs --login-account, --login-pwd\n');
    expect(refused(['--setup-only'])).toContain('--setup-only needs --backend remote');
    for (const account of ['1001', '+852-91234567', 'a@b.example']) run(['--login-account', account]);
    for (const url of ['http://127.0.0.1:1', 'http://[::1]:1/base', 'http://localhost', 'https://login.example/base/'])
      run(['--auth-url', url]);
  });

  it('shows no secret in an error', () => {
    expect(refused(['--verify-code', '12 34', '--login-pwd', 'hunter2'])).toBe('svcd: --verify-code must be 1 to 32 letters and digits\n');
    const text = refused(['--sim-trade-password', 'hunter2', '--rest-port', 'x']);
    expect(text).not.toContain('hunter2');
  });
});

describe('config.toml', () => {
  it.each([
    ['rest_port = 1\nrest_prot = 2', ':2: unknown key "rest_prot"; did you mean rest_port?'],
    ['[limits]\nmax_order_value = 1', ':1: unknown key "limits"'],
    ['config_dir = "/x"', ':1: unknown key "config_dir"'],
    ['rest_port = 1\nrest-port = 2', ':2: rest_port appears twice'],
    ['bind = [1, 2]', ':1: bind must be a string, a number, true, false, or a list of strings; found a list of something else'],
    ['\nbind = {a = 1}', ':2: bind must be a string, a number, true, false, or a list of strings; found a table'],
    ['rest_port = 1\nbind = "x', ':2:'],
    ['rest_port = 1\nrest_port = 2', ':2:'],
  ])('%j is refused with its line', (config, message) => {
    expect(refused([], {}, config)).toContain(`${configDir}/config.toml${message}`);
  });

  it.each(['rest_port = "abc"', 'rest_port = -1', 'rest_port = 22.5'])('%j is refused where a flag overrides it too', (config) => {
    const message = `${configDir}/config.toml:1: --rest-port must be a whole number`;
    for (const flags of [[], ['--rest-port', '8080']]) {
      expect(refused(flags, {}, config)).toContain(message);
      expect(refused([...flags, '--print-config'], {}, config)).toContain(message);
    }
  });

  it('is refused when it is there and cannot be read', () => {
    const folder = join(home, 'broken');
    mkdirSync(join(folder, 'config.toml'), { recursive: true });
    expect(refused(['--config-dir', folder])).toContain('config.toml: cannot be read');
  });
});

describe('what is printed', () => {
  it('prints a config.toml that says the same again, with every source and no secret', () => {
    const variables = { SVC_SIM_TRADE_PASSWORD: 'hunter2', SVC_MAX_ORDER_VALUE: '1000.50' };
    const args = ['--rest-port', '8080', '--sim-clock', 'replay:2026-03-02T01:30:00Z@60', '--allowed-origins', 'http://localhost:3000'];
    const printed = plan(['--print-config', ...args], variables, 'enable_trading = true');
    if (printed.kind !== 'print') throw new Error(printed.kind);
    expect(printed.text).toMatch(/^rest_port = 8080 +# flag --rest-port$/m);
    expect(printed.text).toMatch(/^max_order_value = 1000.50 +# SVC_MAX_ORDER_VALUE$/m);
    expect(printed.text).toMatch(/^enable_trading = true +# .*config\.toml:1$/m);
    expect(printed.text).toMatch(/^# rest_keys_file is not set +# default$/m);
    expect(printed.text).toMatch(/^# sim_trade_password is hidden +# SVC_SIM_TRADE_PASSWORD$/m);
    expect(printed.text).not.toContain('hunter2');
    for (const name of settingNames) expect(printed.text).toContain(configKeyOf(name === 'configDir' ? 'stateDir' : name));
    const first = run(args, variables, 'enable_trading = true').settings;
    const again = run([], { SVC_SIM_TRADE_PASSWORD: 'hunter2' }, printed.text).settings;
    expect(again).toEqual(first);
  });

  it('helps with every setting under its heading, whatever else is on the line', () => {
    const help = plan(['--nonsense', '--help']);
    if (help.kind !== 'print') throw new Error(help.kind);
    for (const name of settingNames) expect(help.text).toContain(`  ${flagOf(name)}`);
    expect(help.text.split('\n').every((line) => line.length <= 120)).toBe(true);
    expect(help.text).not.toContain('123456');
  });

  it('prints the version', () => {
    expect(plan(['--version'])).toEqual({ kind: 'print', text: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});

it('declares no two settings under one name', () => {
  const flags = settingNames.flatMap((name) => [flagOf(name), ...(settingOf(name).aliases ?? []).map((alias) => `--${alias}`)]);
  expect(new Set(flags).size).toBe(flags.length);
});
