/** Signs that come along with a text from a file or a clipboard and show on no screen. */
const INVISIBLE: Readonly<Record<string, string>> = { '\r': 'a carriage return', '\n': 'a line feed', '\t': 'a tab' };

/**
 * Why a text cannot go into an HTTP header, where Node would throw: its first sign that is no printable ASCII, and at which place.
 * Nothing else of the text, which may be a key. undefined where it can.
 */
export function headerProblem(text: string): string | undefined {
  const signs = [...text];
  const index = signs.findIndex((sign) => !/^[ -~]$/.test(sign));
  const sign = signs[index];
  if (sign === undefined) return undefined;
  const code = `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = INVISIBLE[sign] ?? (/[\p{C}\p{Z}]/u.test(sign) ? 'an invisible sign' : `"${sign}"`);
  return `character ${index + 1} of ${signs.length} is ${shown} (${code}); expected printable ASCII`;
}
