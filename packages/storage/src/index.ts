export { type CredentialStore, type CredentialStoreAnswer, tradePasswordStore } from './credential-store.js';
export { descriptorReserve } from './descriptor-reserve.js';
export { configFolder, ensurePrivateFolder, homeFolder, homeProblem, stateFolder } from './folders.js';
export { type DurableStore, type OpenProblem, openLevelStore } from './level-store.js';
export { MemoryStore } from './memory-store.js';
export { readPlainFile } from './plain-file.js';
export { writePrivateFile } from './private-file.js';
export { StorageFailure, whenTaken } from './storage-failure.js';
export type { Archive, Store, Table, Transaction } from './store.js';
