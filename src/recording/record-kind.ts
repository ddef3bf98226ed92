/** What a record of a recording is: its first byte. */
export const RecordKind = { source: 0, event: 1, loss: 2 } as const;
