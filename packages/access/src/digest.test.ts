import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { digestOf } from './digest.js';

it('takes lower-case hex SHA-256 of the UTF-8 bytes', () => {
  expect(digestOf('svc_é')).toBe(createHash('sha256').update(Buffer.from('svc_é', 'utf8')).digest('hex'));
});
