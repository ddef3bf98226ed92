/** Columns of a line of the project's Markdown pages. */
export const WIDTH = 120;

/** Lines of at most {@link WIDTH} columns. A word that would begin a list or a heading stays on the line before. */
export function wrapped(text: string, first = '', rest = ''): string[] {
  const lines: string[] = [];
  let line = first;
  let words = 0;
  for (const word of text.split(' ')) {
    const longer = words === 0 ? line + word : `${line} ${word}`;
    if (words > 0 && longer.length > WIDTH && !/^([-+*#>]+|\d+[.)])$/.test(word)) {
      lines.push(line);
      line = rest + word;
      words = 0;
    } else line = longer;
    words++;
  }
  return [...lines, line];
}
