import { create, type DescFile, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { file_grpc_health_v1_health, Health } from '@svc-gateway/contract/generated/grpc/health/v1/health_pb';
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '@svc-gateway/contract/generated/grpc/reflection/v1/reflection_pb';
import { file_svc_v1_gateway } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { pushMessages } from '@svc-gateway/gateway/push';
import { DescribedFiles } from './described-files.js';
import type { StandingStreams } from './standing-streams.js';
import { bufferOf, bytes, readMessage, SERVICE } from './wire.js';

type Call = ServerDuplexStream<Buffer, Buffer>;
type Outcome = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>;

const METHOD = 'ServerReflection/ServerReflectionInfo';
/** The same messages under two package names: clients older than 2023 know only the second. */
const PACKAGES = ['grpc.reflection.v1', 'grpc.reflection.v1alpha'];

/**
 * Serves server reflection, for the service, for health checking, and for the messages of every operation and event: a
 * client needs none of our files. The files are collected at the first question.
 */
export function addReflection(server: Pick<Server, 'register'>, standing: StandingStreams, operations: readonly Operation[]): void {
  let known: DescribedFiles | undefined;
  const files = () => {
    known ??= new DescribedFiles(rootsOf(operations));
    return known;
  };
  const handle = (call: Call) => answerAll(call, files);
  for (const name of PACKAGES) server.register(`/${name}.${METHOD}`, standing.tracked(handle), bytes, bytes, 'bidi');
}

function rootsOf(operations: readonly Operation[]): DescFile[] {
  const messages = [...operations.map((operation) => operation.messages), ...pushMessages.values()];
  return [file_svc_v1_gateway, file_grpc_health_v1_health, ...messages.map(({ ResponseSchema }) => ResponseSchema.file)];
}

/** Answers questions one by one, no faster than the client reads. */
function answerAll(call: Call, files: () => DescribedFiles): void {
  call.on('data', (message: Buffer) => {
    const question = readMessage(ServerReflectionRequestSchema, message);
    if (question instanceof Rejection) {
      call.emit('error', { code: status.INVALID_ARGUMENT, details: question.message });
      return;
    }
    const answer = create(ServerReflectionResponseSchema, {
      validHost: question.host,
      originalRequest: question,
      messageResponse: answerTo(question, files()),
    });
    if (call.write(bufferOf(toBinary(ServerReflectionResponseSchema, answer)))) return;
    call.pause();
    call.once('drain', () => call.resume());
  });
  call.on('end', () => call.end());
}

function answerTo({ messageRequest: asked }: ServerReflectionRequest, files: DescribedFiles): Outcome {
  switch (asked.case) {
    case 'listServices':
      return { case: 'listServicesResponse', value: { service: [{ name: SERVICE }, { name: Health.typeName }] } };
    case 'fileByFilename':
      return found(files, files.file(asked.value), `file "${asked.value}"`);
    case 'fileContainingSymbol':
      return found(files, files.declaring(asked.value), `symbol "${asked.value}"`);
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = asked.value;
      return found(files, files.extending(containingType, extensionNumber), `extension ${extensionNumber} of "${containingType}"`);
    }
    case 'allExtensionNumbersOfType': {
      const numbers = files.extensionNumbers(asked.value);
      if (numbers === undefined) return failure(status.NOT_FOUND, `no message "${asked.value}" is known`);
      return { case: 'allExtensionNumbersResponse', value: { baseTypeName: asked.value, extensionNumber: [...numbers] } };
    }
    case undefined:
      return failure(status.UNIMPLEMENTED, 'unsupported reflection request');
  }
}

function found(files: DescribedFiles, file: DescFile | undefined, what: string): Outcome {
  if (file === undefined) return failure(status.NOT_FOUND, `no ${what} is known`);
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: files.encode(file) } };
}

function failure(errorCode: status, errorMessage: string): Outcome {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}
