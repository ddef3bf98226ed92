export { configFolder, ensurePrivateFolder, stateFolder } from './folders.js';
export { openLmdbStore } from './lmdb-store.js';
export { MemoryStore } from './memory-store.js';
export { writePrivateFile } from './private-file.js';
export type { Store, Table, Transaction } from './store.js';
