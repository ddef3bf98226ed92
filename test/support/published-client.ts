/** The parts of the published JavaScript client that can be called without a socket. It comes without types. */
interface PublishedSocket {
  packBuff(command: number, section: number, body: Uint8Array): ArrayBuffer;
  unpackBuff(message: ArrayBuffer): PublishedAnswer;
}

export interface PublishedAnswer {
  readonly sign: string;
  readonly cmd: number;
  /** A Long. */
  readonly section: { toString(): string };
  readonly error: number;
  readonly errmsg: string;
  /** Missing when the answer has no body. */
  readonly buff?: ArrayBuffer;
}

interface PublishedType {
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  create(fields: object): object;
  toObject(message: object, options: { longs: StringConstructor }): Record<string, unknown>;
}

// Names in variables, because the compiler looks for types of what it can read.
const [socketModule, messagesModule]: string[] = ['futu-api/base.js', 'futu-api/proto.js'];

const { default: Socket } = (await import(socketModule as string)) as { default: new () => PublishedSocket };
const { default: messages } = (await import(messagesModule as string)) as { default: { lookupType(name: string): PublishedType } };

/** Its half of the core WebSocket's framing. */
export const publishedSocket = new Socket();

/** Bytes of a message, as its protobuf library writes them. */
export function publishedEncode(typeName: string, fields: object): Uint8Array {
  const type = messages.lookupType(typeName);
  return type.encode(type.create(fields)).finish();
}

/** Decodes with the client's own protobuf library; 64-bit integers become text. */
export function publishedDecode(typeName: string, bytes: Uint8Array): Record<string, unknown> {
  const type = messages.lookupType(typeName);
  return type.toObject(type.decode(bytes), { longs: String });
}
