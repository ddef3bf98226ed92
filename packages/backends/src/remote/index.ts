export { AuthService } from './auth-service.js';
export { CredentialsFile } from './credentials-file.js';
export { type CheckOutcome, Login } from './login.js';
export { passwordDigest } from './login-request.js';
export { RemoteBackend } from './remote-backend.js';
