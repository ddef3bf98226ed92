const INDENT = '  ';
/** One token: a string, a word or number, punctuation, or white space. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g;

/**
 * Lays out JSON text over several lines. Values are copied character by character, never parsed: an account id of 18
 * digits stays what it is. Text that is no JSON comes out readable all the same.
 */
export function layOutJson(text: string): string {
  let result = '';
  let depth = 0;
  let previous = '';
  const newLine = () => `\n${INDENT.repeat(Math.max(0, depth))}`;
  for (const [token] of text.matchAll(TOKENS)) {
    const opened = previous === '{' || previous === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      result += opened ? token : newLine() + token;
    } else {
      if (opened || previous === ',') result += newLine();
      result += token === ':' ? ': ' : token;
      if (token === '{' || token === '[') depth += 1;
    }
    previous = token;
  }
  return result;
}
