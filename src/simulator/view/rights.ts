/** Qot_Common.QotRight. */
export const QotRight = { level1: 2, level2: 3, sf: 4, none: 5 } as const;
