import type { Backend } from './backend.js';
import type { Logger } from './logger.js';

export type RefreshState = 'never_run' | 'running' | 'succeeded' | 'failed' | 'skipped' | 'not_applicable';

/** The background part of an admin reload: one credential refresh at a time. */
export class CredentialRefresher {
  #state: RefreshState = 'never_run';
  #running = false;

  constructor(
    readonly backend: Backend,
    readonly logger: Logger,
  ) {}

  /** Result of the last refresh. */
  get state(): RefreshState {
    return this.#state;
  }

  /** Starts a refresh, unless one is running (`skipped`); the outcome shows in {@link state}. */
  start(): RefreshState {
    if (this.#running) {
      this.#state = 'skipped';
      return this.#state;
    }
    this.#running = true;
    this.#state = 'running';
    void this.#run();
    return this.#state;
  }

  async #run(): Promise<void> {
    try {
      this.#state = await this.backend.refreshCredentials();
    } catch (error) {
      this.logger.error({ err: error }, 'credential refresh failed');
      this.#state = 'failed';
    } finally {
      this.#running = false;
    }
  }
}
