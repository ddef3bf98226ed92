import type { AsyncEntry } from '@napi-rs/keyring';

/** Result of a call to the credential store, or the reason for having none. */
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
/** Timeout of a call: the store may ask a person to unlock it. */
const ANSWER_MS_MAX = 60_000;

/** Entry that `svcctl set-trade-pwd` writes and the daemon reads. */
export const tradePasswordStore: CredentialStore = {
  read: () => withEntry(async (entry) => (await entry.getPassword()) ?? undefined),
  write: (secret) => withEntry((entry) => entry.setPassword(secret)),
  remove: () => withEntry((entry) => entry.deleteCredential()),
};

/** Loads the library at the first use: most processes never need it, and a machine may lack its binary. */
async function withEntry<T>(action: (entry: AsyncEntry) => Promise<T>): Promise<CredentialStoreAnswer<T>> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Without a secret service the library would fall back to the kernel's keyring, which forgets at the next boot.
    const entry = new AsyncEntry(SERVICE, ACCOUNT, { linux: { store: 'secret-service' } });
    return { available: true, value: await withinBound(action(entry)) };
  } catch (thrown) {
    return { available: false, reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Rejects after {@link ANSWER_MS_MAX}; the library cannot cancel a call. */
async function withinBound<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${ANSWER_MS_MAX / 1000} s`)), ANSWER_MS_MAX);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
