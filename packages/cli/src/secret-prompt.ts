import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Input of a terminal, or of a pipe. */
export type SecretInput = Readable & { readonly isTTY?: boolean };

/**
 * Asks for a secret. On a terminal the prompt is shown and the typing is not; undefined at Ctrl-C or Ctrl-D. From
 * anything else the whole input is taken, without its last line end.
 */
export async function readSecret(prompt: string, input: SecretInput, show: (text: string) => void): Promise<string | undefined> {
  if (input.isTTY !== true) return (await text(input)).replace(/\r?\n$/, '');
  show(prompt);
  // Line editing works as usual; its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once('line', resolve);
      lines.once('SIGINT', () => resolve(undefined));
      lines.once('close', () => resolve(undefined));
    });
  } finally {
    lines.close();
    show('\n');
  }
}
