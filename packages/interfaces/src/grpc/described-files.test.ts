import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { file_grpc_health_v1_health } from '@svc-gateway/contract/generated/grpc/health/v1/health_pb';
import { file_Qot_GetKL } from '@svc-gateway/contract/generated/Qot_GetKL_pb';
import { expect, it } from 'vitest';
import { DescribedFiles } from './described-files.js';

const files = new DescribedFiles([file_Qot_GetKL, file_grpc_health_v1_health]);
const namesOf = (symbol: string) => {
  const file = files.declaring(symbol);
  return file && files.encode(file).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
};

it.each([
  'grpc.health.v1.Health',
  'grpc.health.v1.Health.Check',
  'grpc.health.v1.HealthCheckRequest.service',
  'grpc.health.v1.HealthCheckResponse.ServingStatus',
  'grpc.health.v1.HealthCheckResponse.SERVING',
  'grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING',
])('finds the file of %s', (symbol) => {
  expect(namesOf(symbol)).toEqual(['grpc/health/v1/health.proto']);
});

it('gives a file with everything that it imports, each once and itself first', () => {
  expect(namesOf('Qot_GetKL.C2S')).toEqual(['Qot_GetKL.proto', 'Common.proto', 'Qot_Common.proto']);
  expect(files.file('Qot_Common.proto')).toBe(files.declaring('Qot_Common.Security'));
});

it('knows nothing of what nobody declared', () => {
  expect([files.file('other.proto'), files.declaring('grpc.health.v1.Other'), files.declaring('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(files.extensionNumbers('Qot_GetKL.C2S')).toEqual([]);
  expect(files.extensionNumbers('Qot_GetKL.Other')).toBeUndefined();
});
