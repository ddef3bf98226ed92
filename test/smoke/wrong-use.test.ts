import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Demo } from './demo.js';

describe.skipIf(process.platform === 'win32')('svcctl, used wrongly', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = new Demo(process.execPath);
    await demo.start();
  });
  afterAll(() => demo.remove());

  it.each([
    ['an unknown command', 'bin/svcctl cal get_quote', 2, /unknown command 'cal'[\s\S]*Did you mean call/],
    ['an unknown operation', `bin/svcctl call get_qoute '{"symbol":"HK.00700"}'`, 2, /get_qoute[\s\S]*get_quote/],
    ['a body that is no JSON', `bin/svcctl call get_quote '{"symbol":'`, 2, /JSON/],
    ['an unknown field', `bin/svcctl call get_quote '{"simbol":"HK.00700"}'`, 3, /unknown field "simbol".*symbol/],
    ['a missing field', `bin/svcctl call get_quote '{}'`, 3, /symbol/],
    ['a field of the wrong type', `bin/svcctl call get_kline '{"symbol":"HK.00700","kl_type":"day"}'`, 3, /kl_type/],
    ['an unknown symbol', `bin/svcctl call get_quote '{"symbol":"HK.99999"}'`, undefined, /HK\.99999/],
    ['a symbol that is none', 'bin/svcctl watch tencent', 2, /MARKET\.CODE/],
    ['an unknown type', 'bin/svcctl watch HK.00700 --types 99', 2, /99/],
    ['a key of nobody', `bin/svcctl call get_quote '{"symbol":"HK.00700"}' --api-key svc_wrong`, 3, /key/],
    ['a wrong port', `bin/svcctl call get_quote '{"symbol":"HK.00700"}' --rest-url http://127.0.0.1:9`, 4, /127\.0\.0\.1:9/],
    ['an unknown scope', 'bin/svcctl gen-key --id x --scopes qot:raed', 2, /qot:raed/],
    ['an output that takes nothing', 'bin/svcctl operations > /dev/full', 5, /standard output cannot be written \(ENOSPC\)/],
  ])('explains %s', async (_, command, status, text) => {
    const outcome = await demo.paste(command);
    expect(outcome.status).not.toBe(0);
    if (status !== undefined) expect(outcome.status, outcome.stderr).toBe(status);
    expect(outcome.stderr + outcome.stdout).toMatch(text);
    expect(outcome.stderr).not.toContain('    at ');
  });
});
