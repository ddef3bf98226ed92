/** The caller's number of one write: a repetition carries the same. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

/** Answer to an accepted write. */
export interface PacketAnswer {
  readonly orderId: bigint;
  readonly orderIdEx: string;
}

export interface PacketRecord extends PacketAnswer {
  /** Digest of the request, so that another request under the same number does not get this answer. */
  readonly fingerprint: string;
}
