/** What the bridge must know of a message that the gateway wrote; the message itself stays text. */
export interface ServerMessage {
  readonly text: string;
  /** Ids that it answers, as JSON text: one of a response, several of a batch of them. `null` where the gateway could not tell. */
  readonly answers: readonly string[];
  /** Of a response to `initialize`. */
  readonly result: { readonly protocolVersion?: unknown; readonly capabilities?: { readonly logging?: unknown } } | undefined;
  readonly error: { readonly code: number; readonly message: string } | undefined;
}

interface Loose {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

/** Undefined for a text that is no JSON-RPC message. */
export function readServerMessage(text: string): ServerMessage | undefined {
  const parsed = parse(text);
  if (Array.isArray(parsed)) {
    const responses = parsed.filter(isObject).filter(isResponse);
    return { text, answers: responses.map(({ id }) => idText(id)), result: undefined, error: undefined };
  }
  if (!isObject(parsed)) return undefined;
  if (typeof parsed.method === 'string') return { text, answers: [], result: undefined, error: undefined };
  if (!isResponse(parsed)) return undefined;
  const { code, message } = parsed.error ?? {};
  return {
    text,
    answers: [idText(parsed.id)],
    result: isObject(parsed.result) ? (parsed.result as ServerMessage['result']) : undefined,
    error: typeof code === 'number' && typeof message === 'string' ? { code, message } : undefined,
  };
}

// The engine's own parser is enough to look: an id that it rounds is only compared among the answers of one POST.
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isResponse(value: Loose): boolean {
  return value.method === undefined && ('result' in value || 'error' in value);
}

function idText(id: unknown): string {
  return JSON.stringify(id ?? null);
}
