import { plainText } from '@svc-gateway/wire';
import { describe, expect, it } from 'vitest';
import { Finding, fuzz } from './fuzz.js';
import { codecTargets, type Target, tcpCodec } from './targets.js';
import type { Asked } from './wires.js';

const SEED = 20260801;

/** The codec with something broken in it. */
function broken(exchange: (sound: readonly Asked[]) => readonly Asked[]): Target {
  const sound = tcpCodec('broken', plainText);
  return { ...sound, exchange: (chunks) => exchange(sound.exchange(chunks) as readonly Asked[]) };
}

describe('a short run of the fuzzer', () => {
  it.each(codecTargets)('$name', async (target) => {
    const report = await fuzz(target, 12_000, SEED);
    // Many frames are read in spite of their mutations, and many are not.
    expect(report.answers).toBeGreaterThan(report.frames / 3);
    expect(report.answers).toBeLessThan(report.frames);
  });
});

describe('the fuzzer finds', () => {
  it.each<[string, Target, string]>([
    ['an exception', broken((answers) => (answers.length === 3 ? JSON.parse('') : answers)), 'crashed: SyntaxError'],
    ['a wrong serial', broken((answers) => answers.map((each) => ({ ...each, number: each.number ^ 1n }))), 'which was not asked'],
    ['a wrong protocol id', broken((answers) => answers.map((each) => ({ ...each, protoId: each.protoId + 1 }))), 'which was not asked'],
    ['an answer given twice', broken((answers) => [...answers, ...answers]), 'which was not asked'],
    ['answers in the wrong order', broken((answers) => answers.toReversed()), 'which was not asked'],
    ['a missing answer', broken((answers) => answers.slice(1)), 'answers'],
  ])('%s', async (_, target, message) => {
    const finding = await fuzz(target, 2000, SEED).catch((error: unknown) => error);
    expect(finding).toBeInstanceOf(Finding);
    expect((finding as Finding).message).toContain(message);
    expect((finding as Finding).message).toContain(`seed ${SEED}`);
  });

  it('a leak', async () => {
    const kept: Buffer[] = [];
    const leaking = broken((answers) => {
      kept.push(Buffer.alloc(8192));
      return answers;
    });
    await expect(fuzz(leaking, 3000, SEED)).rejects.toThrow('memory grew by');
  });
});
