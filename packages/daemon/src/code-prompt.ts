import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A login that may wait for a code. */
export interface AwaitsCode {
  readonly awaitsCode: boolean;
  /** Sentence about the code it waits for; '' for none. */
  readonly progress: string;
  answer(code: string): Promise<{ readonly ok: boolean; readonly message: string }>;
  onProgress(listener: () => void): () => void;
}

/**
 * Asks for the code at the terminal whenever a login waits for one, again after a wrong one, and no more once it was entered,
 * here or elsewhere. Ctrl-C ends the process as ever. Returns its end.
 */
export function promptForCode(login: AwaitsCode, input: Readable, show: (text: string) => void): () => void {
  let lines: Interface | undefined;
  const ask = () => show('Verification code: ');
  const update = () => {
    if (login.awaitsCode && login.progress !== '') {
      if (lines !== undefined) return;
      // Line by line, as the terminal hands them over: raw mode would take Ctrl-C from the daemon.
      lines = createInterface({ input, terminal: false });
      let entered = Promise.resolve();
      // One after the other: what is pasted comes at once.
      lines.on('line', (line) => {
        entered = entered.then(() => enter(line.trim()));
      });
      show(`\n${login.progress}\n`);
      ask();
    } else if (lines !== undefined && !login.awaitsCode) {
      lines.close();
      lines = undefined;
    }
  };
  const enter = async (code: string) => {
    if (code !== '' && login.awaitsCode) show(`${(await login.answer(code)).message}\n`);
    if (login.awaitsCode) ask();
  };
  const stop = login.onProgress(update);
  update();
  return () => {
    stop();
    lines?.close();
  };
}
