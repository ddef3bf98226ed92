import { REMOVED, withoutKeyTexts } from '@svc-gateway/access';
import { shownMessage } from '@svc-gateway/contract/shown';
import { type Logger, pino } from 'pino';
import type { LogLevel } from './settings-table.js';
import { type LogTarget, neverWaitForOutput, StderrOutput } from './stderr-output.js';

export type { Logger } from 'pino';

/** Names with redacted values: at the top of an entry or one or two levels down. */
const SECRET_NAMES = [
  'authorization',
  'api_key',
  'apiKey',
  'token',
  'password',
  'pwd_md5',
  'pwdMD5',
  'simTradePassword',
  'loginPwd',
  'pwd_digest',
  'passwordDigest',
  'verify_code',
  'verifyCode',
  'tgtgt',
  'ticket',
  'session_key',
  'sessionKey',
  'key_text',
  'keyText',
  'cookie',
];

/**
 * The daemon's log: JSON lines, or lines for people when `readable`. No key and no password ever reaches the target,
 * whoever logged it.
 */
export function createLog(options: { level: LogLevel; target: LogTarget; readable: boolean }): Logger {
  const { level, target, readable } = options;
  const paths = SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: REMOVED } },
    {
      write(line: string) {
        const clean = withoutKeyTexts(bounded(line));
        target.write(readable ? readableLine(clean) : clean);
      },
    },
  );
}

/** Longest line that is written as it is, in UTF-16 units. */
const LINE_LENGTH_MAX = 16_000;

/** A line with its long texts cut, as texts of others are logged too. */
function bounded(line: string): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  const cut = (_name: string, value: unknown) => (typeof value === 'string' ? shownMessage(value) : value);
  const entry = JSON.parse(line);
  const whole = JSON.stringify(entry, cut);
  const { level, time, msg } = entry;
  return `${whole.length <= LINE_LENGTH_MAX ? whole : JSON.stringify({ level, time, msg, left_out: `${line.length} characters` }, cut)}\n`;
}

/** The log on this process's stderr, and how many of its lines were never written. */
export function stderrLog(level: LogLevel): { readonly logger: Logger; readonly linesLost: () => number } {
  neverWaitForOutput();
  const output = new StderrOutput({ onRecovered: (lost) => logger.warn({ lost }, 'log lines were lost: stderr did not take them') });
  const logger = createLog({ level, target: gathered(output), readable: process.stderr.isTTY === true });
  return { logger, linesLost: () => output.linesLost };
}

/** Gathers the lines of one turn into one write: under load an audit line a request would be a system call a request. */
export function gathered(target: LogTarget, process: Pick<NodeJS.Process, 'once'> = globalThis.process): LogTarget {
  let waiting = '';
  const flush = () => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') target.write(lines);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
}

const levelNames: ReadonlyMap<number, string> = new Map(Object.entries(pino.levels.labels).map(([number, name]) => [Number(number), name]));
const LEVEL_WIDTH = 5;

/** `09:30:00.123 WARN  text  name=value`, in local time. */
function readableLine(line: string): string {
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const clock = localTime(new Date(String(time)));
  const label = (levelNames.get(Number(level)) ?? String(level)).toUpperCase().padEnd(LEVEL_WIDTH);
  const fields = Object.entries(rest).map(([name, value]) => `  ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const failure = err as { stack?: string; message?: string } | undefined;
  const trace = failure === undefined ? '' : `\n  ${(failure.stack ?? failure.message ?? '').replaceAll('\n', '\n  ')}`;
  return `${clock} ${label} ${harmless(`${msg ?? ''}${fields.join('')}`)}${trace.split('\n').map(harmless).join('\n')}\n`;
}

/** Texts of others are logged too and must not steer the terminal that shows them. */
function harmless(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function localTime(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
