import { hash } from 'node:crypto';

/** Lower-case hex SHA-256 of the text's UTF-8 bytes, as the keys file stores it. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}
