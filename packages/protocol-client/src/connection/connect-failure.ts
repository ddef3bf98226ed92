/**
 * Reason why a connection could not be made, or is not fit for use. `final` = another try cannot help until an operator has put it right:
 * a wrong RSA key, a refused login.
 */
export class ConnectFailure extends Error {
  constructor(
    message: string,
    readonly final = false,
  ) {
    super(message);
  }
}

/** The server refused InitConnect with this identification. */
export class HandshakeRefused extends ConnectFailure {}

/** The server's answer to InitConnect cannot be opened: once it is a frame that was damaged, time and again the RSA keys differ. */
export class HandshakeUnreadable extends ConnectFailure {}

/** The server answered InitConnect without what the algorithm that was asked for needs: it may know another. */
export class CipherUnknown extends ConnectFailure {}
