export { createGrpcServer, type GrpcOptions, type GrpcServer } from './server.js';
