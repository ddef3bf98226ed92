/** The caller's number of one write: a repetition carries the same. */
export interface PacketId {
  readonly connId: bigint;
  readonly serialNo: number;
}

/** What an accepted write was answered with. */
export interface PacketAnswer {
  readonly orderId: bigint;
  readonly orderIdEx: string;
}

export interface PacketRecord extends PacketAnswer {
  /** What was asked, so that another request under the same number is not given this answer. */
  readonly fingerprint: string;
}
