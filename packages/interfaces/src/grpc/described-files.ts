import { type DescFile, type DescMessage, toBinary } from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { getOrInsert } from '@svc-gateway/contract/memo';

/** `.proto` files with their imports, found by path or by a symbol that they declare. */
export class DescribedFiles {
  readonly #files = new Map<string, DescFile>();
  /** Declaring file by full name of a message, enumeration, value, service, extension, field or method. */
  readonly #symbols = new Map<string, DescFile>();
  /** Declaring file of each extension, by extended message and number. */
  readonly #extensions = new Map<string, Map<number, DescFile>>();
  readonly #encoded = new Map<DescFile, Uint8Array>();

  constructor(roots: readonly DescFile[]) {
    for (const root of roots) this.#add(root);
  }

  /** Finds a file by path: "svc/v1/gateway.proto". */
  file(path: string): DescFile | undefined {
    return this.#files.get(path);
  }

  /** Finds the file that declares "svc.v1.Gateway", "svc.v1.Gateway.Request" or "svc.v1.GatewayRequest.proto_id". */
  declaring(symbol: string): DescFile | undefined {
    return this.#symbols.get(symbol);
  }

  extending(message: string, number: number): DescFile | undefined {
    return this.#extensions.get(message)?.get(number);
  }

  /** Extension numbers of a message; undefined for an unknown message. */
  extensionNumbers(message: string): readonly number[] | undefined {
    return this.#symbols.has(message) ? [...(this.#extensions.get(message)?.keys() ?? [])] : undefined;
  }

  /** Encodes the `FileDescriptorProto` of a file and of all its imports, itself first. */
  encode(file: DescFile): Uint8Array[] {
    return [...withImports(file, new Set())].map((each) => {
      const bytes = this.#encoded.get(each) ?? toBinary(FileDescriptorProtoSchema, each.proto);
      this.#encoded.set(each, bytes);
      return bytes;
    });
  }

  #add(file: DescFile): void {
    if (this.#files.has(file.proto.name)) return;
    this.#files.set(file.proto.name, file);
    for (const type of nestedTypes(file)) {
      this.#symbols.set(type.typeName, file);
      switch (type.kind) {
        case 'message':
          for (const { name } of type.members) this.#symbols.set(`${type.typeName}.${name}`, file);
          break;
        case 'enum':
          // A value's full name has the enumeration's scope; some clients write the enumeration's name as well.
          for (const { name } of type.values) {
            this.#symbols.set(`${type.typeName}.${name}`, file);
            this.#symbols.set(type.typeName.slice(0, type.typeName.lastIndexOf('.') + 1) + name, file);
          }
          break;
        case 'service':
          for (const { name } of type.methods) this.#symbols.set(`${type.typeName}.${name}`, file);
          break;
        case 'extension':
          this.#addExtension(type.extendee, type.number, file);
      }
    }
    for (const dependency of file.dependencies) this.#add(dependency);
  }

  #addExtension({ typeName }: DescMessage, number: number, file: DescFile): void {
    getOrInsert(this.#extensions, typeName, () => new Map()).set(number, file);
  }
}

function withImports(file: DescFile, into: Set<DescFile>): Set<DescFile> {
  if (into.has(file)) return into;
  into.add(file);
  for (const dependency of file.dependencies) withImports(dependency, into);
  return into;
}
