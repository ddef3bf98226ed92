/** The text of an HTTP body with what its sender needs to know. */
export interface Body {
  readonly text: string;
  readonly byteLength: number;
  /** `latin1` where that gives the same bytes as UTF-8: it is copied to the socket without being encoded. */
  readonly encoding: 'latin1' | 'utf8';
}

export function bodyOf(text: string): Body {
  const byteLength = Buffer.byteLength(text);
  return { text, byteLength, encoding: byteLength === text.length ? 'latin1' : 'utf8' };
}
