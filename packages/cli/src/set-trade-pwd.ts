import { type CredentialStore, tradePasswordStore } from '@svc-gateway/storage';
import { Command } from 'commander';
import { EXIT_FAILED, EXIT_USAGE } from './command-line.js';
import { processTerminal, type Terminal } from './terminal.js';

const WITHOUT_STORE =
  'give the password to svcd in the environment variable SVC_TRADE_PWD instead (on Linux a secret service is needed, such as gnome-keyring or KWallet)';
const CHARACTERS_MAX = 256;

/**
 * `svcctl set-trade-pwd`: leaves the trade password in the operating system's credential store, where svcd finds it. The
 * password comes from a prompt or from standard input, never from an argument, and is never printed.
 */
export function setTradePwdCommand(terminal: Terminal = processTerminal, store: CredentialStore = tradePasswordStore): Command {
  const command = new Command('set-trade-pwd')
    .description("store the trade password in this user's credential store, for svcd's unlock tool")
    .option('--delete', 'remove it from there')
    .addHelpText('after', '\nPrompts for the password without echo, or reads it from standard input if that is not a terminal.');
  return command.action(async (options: { readonly delete?: true }) => {
    if (options.delete) {
      const removed = await store.remove();
      if (!removed.available)
        return command.error(`error: the credential store did not answer: ${removed.reason}`, { exitCode: EXIT_FAILED });
      terminal.explain(removed.value ? 'The trade password was removed.\n' : 'There was no trade password.\n');
      return;
    }
    const password = await askTwice(terminal);
    if (typeof password !== 'string') return command.error(`error: ${password.problem}`, { exitCode: EXIT_USAGE });
    const written = await store.write(password);
    if (!written.available) {
      return command.error(`error: no credential store took the password: ${written.reason}\n${WITHOUT_STORE}`, { exitCode: EXIT_FAILED });
    }
    terminal.explain('The trade password is stored in the credential store.\n');
  });
}

async function askTwice(terminal: Terminal): Promise<string | { readonly problem: string }> {
  const first = await terminal.readSecret('Trade password: ');
  if (first === undefined) return { problem: 'no password was given' };
  if (first === '') return { problem: 'the password must not be empty' };
  if (first.length > CHARACTERS_MAX) return { problem: `the password must have at most ${CHARACTERS_MAX} characters` };
  if (!terminal.asksPerson) return first;
  return (await terminal.readSecret('Once more: ')) === first ? first : { problem: 'the passwords do not match; nothing was changed' };
}
