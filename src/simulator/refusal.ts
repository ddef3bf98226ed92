/** A refusal by the brokerage: `retType` -1 with this text. */
export class Refusal {
  constructor(
    readonly message: string,
    /** Protocol errCode; 0 when the protocol names none. */
    readonly errCode = 0,
  ) {}
}
