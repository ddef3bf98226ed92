import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the index of the generated messages: a module for each protocol id and each message of our own, by its name in code.
 * "Qot_GetKL_pb.ts" is QotGetKL, "svc/cash_log_pb.ts" is CashLog.
 */
export function writeMessageIndex(folder) {
  const lines = ['.', 'svc'].flatMap((part) =>
    readdirSync(join(folder, part))
      .filter((file) => file.endsWith('_pb.ts'))
      .sort()
      .map((file) => `export * as ${nameOf(file)} from './${join(part, file).replaceAll('\\', '/').replace(/\.ts$/, '.js')}';\n`),
  );
  writeFileSync(join(folder, 'messages.ts'), lines.join(''));
}

function nameOf(file) {
  const parts = file.replace(/_pb\.ts$/, '').split('_');
  return parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join('');
}
