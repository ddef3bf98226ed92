/** Names of invisible characters that come with text from files and clipboards. */
const INVISIBLE: Readonly<Record<string, string>> = { '\r': 'a carriage return', '\n': 'a line feed', '\t': 'a tab' };

/**
 * Explains why a text cannot go into an HTTP header, where Node would throw: names the first character that is not printable
 * ASCII, and its position. The rest of the text, which may be a key, is not shown. undefined if the text can.
 */
export function headerProblem(text: string): string | undefined {
  const characters = [...text];
  const index = characters.findIndex((character) => !/^[ -~]$/.test(character));
  const character = characters[index];
  if (character === undefined) return undefined;
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  const shown = INVISIBLE[character] ?? (/[\p{C}\p{Z}]/u.test(character) ? 'an invisible sign' : `"${character}"`);
  return `character ${index + 1} of ${characters.length} is ${shown} (${code}); expected printable ASCII`;
}
