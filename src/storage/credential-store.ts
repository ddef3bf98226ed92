import type { AsyncEntry } from '@napi-rs/keyring';

/** What the credential store did, or why it is not to be had. */
export type CredentialStoreAnswer<T> =
  | { readonly available: true; readonly value: T }
  | { readonly available: false; readonly reason: string };

/** One secret in the operating system's credential store. */
export interface CredentialStore {
  /** Undefined where none is kept. */
  read(): Promise<CredentialStoreAnswer<string | undefined>>;
  write(secret: string): Promise<CredentialStoreAnswer<void>>;
  /** Whether there was one. */
  remove(): Promise<CredentialStoreAnswer<boolean>>;
}

const SERVICE = 'svc-gateway';
const ACCOUNT = 'trade-password';
/** A store may ask a person to unlock it. */
const ANSWER_MS_MAX = 60_000;

/** Where `svcctl set-trade-pwd` leaves the trade password and the daemon looks for it. */
export const tradePasswordStore: CredentialStore = {
  read: () => withEntry(async (entry, signal) => (await entry.getPassword(signal)) ?? undefined),
  write: (secret) => withEntry((entry, signal) => entry.setPassword(secret, signal)),
  remove: () => withEntry((entry, signal) => entry.deleteCredential(signal)),
};

/** The library is loaded at the first use: most processes never need it, and a machine without its binary runs all the same. */
async function withEntry<T>(action: (entry: AsyncEntry, signal: AbortSignal) => Promise<T>): Promise<CredentialStoreAnswer<T>> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Without a secret service the library would fall back to the kernel's keyring, which forgets at the next boot.
    const entry = new AsyncEntry(SERVICE, ACCOUNT, { linux: { store: 'secret-service' } });
    return { available: true, value: await action(entry, AbortSignal.timeout(ANSWER_MS_MAX)) };
  } catch (thrown) {
    return { available: false, reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
