export { type CredentialStore, type CredentialStoreAnswer, tradePasswordStore } from './credential-store.js';
export { descriptorReserve } from './descriptor-reserve.js';
export { configFolder, stateFolder } from './folders.js';
export { isStrayCommitFailure, openLmdbStore } from './lmdb-store.js';
export { MemoryStore } from './memory-store.js';
export { writePrivateFile } from './private-file.js';
export { StorageFailure } from './storage-failure.js';
export type { Store, Table, Transaction } from './store.js';
