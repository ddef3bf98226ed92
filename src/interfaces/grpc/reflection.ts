import { type DescFile, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { service as healthService } from 'grpc-health-check';
import { file_svc_v1_gateway } from '../../contract/generated/svc/v1/gateway_pb.js';
import type { Operation } from '../../contract/operation.js';
import { pushMessages } from '../../gateway/push/index.js';
import { bufferOf } from './wire.js';

/**
 * Serves server reflection, for the service, for health checking, and for the messages of every operation and event: a
 * client needs no file of ours.
 */
export function addReflection(server: Pick<Server, 'addService'>, operations: readonly Operation[]): void {
  const messages = [...operations.map((operation) => operation.messages), ...pushMessages.values()];
  const files = withDependencies([file_svc_v1_gateway, ...messages.map(({ ResponseSchema }) => ResponseSchema.file)]);
  const ours = files.map((file) => bufferOf(toBinary(FileDescriptorProtoSchema, file.proto)));
  const health = Object.values(healthService).flatMap(({ requestType }) => requestType.fileDescriptorProtos);
  // Of a definition, reflection looks at the files alone.
  const definition = { format: 'Protocol Buffer 3 EnumDescriptorProto' as const, type: {}, fileDescriptorProtos: [...ours, ...health] };
  new ReflectionService({ definition }).addToServer(server);
}

/** Files with all that they import, each once. */
function withDependencies(roots: readonly DescFile[]): DescFile[] {
  const known = new Set<DescFile>();
  const add = (file: DescFile) => {
    if (known.has(file)) return;
    known.add(file);
    file.dependencies.forEach(add);
  };
  roots.forEach(add);
  return [...known];
}
