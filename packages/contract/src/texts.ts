import { stop } from './problem.js';

/** Stops at a text with the character U+0000, at which many programs end a text: two that differ behind it would be the same to them. */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) stop('invalid', path, `${path}: the character U+0000 is not accepted in texts`);
}
