/** Qot_Common.QotRight. */
export const QotRight = { level1: 2, level2: 3, none: 5 } as const;
