import type { TrdAcc } from '../../contract/generated/Trd_Common_pb.js';
import { BackendFailure, BackendRefused, type ResponseMessage } from '../../gateway/backend.js';
import type { RequestOptions } from '../connection/upstream.js';
import { AccountsRefused, type Reader, readAccounts } from './trades.js';

export interface AccountListCheckOptions {
  readonly upstream: Reader;
  readonly options: () => RequestOptions;
  /** Identity of the connection over which trading is ready; undefined where it is not. Answers of an earlier one are ignored. */
  readonly connection: () => unknown;
  readonly onListed?: (accounts: readonly TrdAcc[]) => void;
  readonly onRefused: (reason: string) => void;
  /** Something was thrown that should not have been. */
  readonly onDefect: (error: unknown) => void;
}

/**
 * Notices that a server which listed its accounts refuses to list them later, over the same connection. It asks by itself, in the
 * daemon's own words: a caller's list may be refused for what the caller asked.
 */
export class AccountListCheck {
  readonly #options: AccountListCheckOptions;
  #checking = false;

  constructor(options: AccountListCheckOptions) {
    this.#options = options;
  }

  /** Asks now, unless an answer is awaited or trading is not ready yet, which it becomes with the list. */
  check(): void {
    if (this.#checking || this.#options.connection() === undefined) return;
    this.#checking = true;
    void this.#check().finally(() => {
      this.#checking = false;
    });
  }

  /** Passes the answer to a caller's read of the list on, and checks the list where that was refused. */
  async note(answer: ResponseMessage | Promise<ResponseMessage>): Promise<ResponseMessage> {
    try {
      const response = await answer;
      if (response.retType !== 0) this.check();
      return response;
    } catch (thrown) {
      if (thrown instanceof BackendRefused) this.check();
      throw thrown;
    }
  }

  async #check(): Promise<void> {
    const { upstream, options, connection, onListed, onRefused, onDefect } = this.#options;
    const asked = connection();
    try {
      const accounts = await readAccounts(upstream, options());
      if (connection() === asked) onListed?.(accounts);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) onDefect(thrown);
      // No answer in time, or a lost connection, is for the connection's own watchdog to judge.
      else if (thrown instanceof AccountsRefused && connection() === asked) onRefused(thrown.message);
    }
  }
}
