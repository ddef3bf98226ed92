/** The certificate that every listener shows. Times are epoch ms. */
export interface CertificateStatus {
  readonly path: string;
  readonly expiresAt: number;
  /** Time of the last successful attempt. */
  readonly loadedAt: number;
  /** The attempt that failed since then, if any. */
  readonly failure: { readonly at: number; readonly reason: string } | undefined;
}

/** Something that an operator has to look at. */
export interface Trouble {
  /** "audit: cannot write …" */
  readonly message: string;
  /** Writes are refused until it has passed. */
  readonly stopsWrites: boolean;
}

/** Progress of the recording of the backend's data. */
export interface RecordingStatus {
  readonly eventsWritten: number;
  readonly eventsLost: number;
  /** Reason why nothing can be written at present. */
  readonly failure: string | undefined;
}
