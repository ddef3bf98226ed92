import { type DurableStore, openLevelStore } from '@svc-gateway/storage';

/** The database in `folder`; throws where it cannot be opened. */
export async function openedStore(folder: string): Promise<DurableStore> {
  const store = await openLevelStore(folder);
  if ('kind' in store) throw new Error(store.message);
  return store;
}
