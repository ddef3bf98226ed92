import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '@svc-gateway/contract/openapi';
import { generateApi } from 'swagger-typescript-api';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const tsc = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'tsc');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-openapi-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A program that somebody writes with the generated client. */
const program = `
import { Api } from './api.js';

const api = new Api({ baseUrl: 'http://127.0.0.1:22499' });

export async function buy(accId: string): Promise<number | string> {
  const { data } = await api.api.placeOrder({ acc_id: accId, env: 1, market: 1, side: 1, code: '00700', qty: 100, price: 700 });
  if (data.ret_type !== 0 || !('order_id' in data.s2c)) throw new Error(String(data.ret_msg));
  return data.s2c.order_id ?? '';
}

export async function bars(): Promise<number[]> {
  const { data } = await api.api.getKline({ symbol: 'HK.00700', kl_type: 1, rehab_type: 0, req_num: 10 });
  return 'kl_list' in data.s2c ? data.s2c.kl_list.map(({ close_price }) => close_price ?? 0) : [];
}
`;

it('a client generated from the document compiles under strict types', async () => {
  const { files } = await generateApi({
    spec: JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' }))),
    fileName: 'api.ts',
    output: false,
    silent: true,
  });
  const [api] = files;
  await writeFile(join(folder, 'api.ts'), api?.fileContent ?? '');
  await writeFile(join(folder, 'program.ts'), program);
  const settings = { target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom'], types: [], strict: true, noEmit: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings }));
  const complaint = (failed: { stdout: string; stderr: string }) => `failed: ${failed.stdout}${failed.stderr}`;
  expect(await run(process.execPath, [tsc, '-p', folder]).then(() => 'compiled', complaint)).toBe('compiled');
}, 120_000);
