/** A disturbance of one answer or push. */
export type WireFault = AnswerFault | FrameFault | PushFault;

/** Disturbs how a request is answered. */
type AnswerFault =
  /** The request is carried out at once; the answer leaves after `ms` milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Carried out, and never answered. */
  | { readonly kind: 'no_answer' }
  /** Neither carried out nor answered. */
  | { readonly kind: 'lost_request' }
  /** The request is not carried out, but refused with this text. */
  | { readonly kind: 'refuse'; readonly text: string; readonly retType: number };

/** Disturbs the frame, of an answer or of a push. */
type FrameFault =
  /** Half of the frame is sent; then the connection ends. */
  | { readonly kind: 'half_frame' }
  | { readonly kind: 'wrong_digest' }
  /** The connection is cut in place of the frame. */
  | { readonly kind: 'cut' };

type PushFault = { readonly kind: 'push_twice' } | { readonly kind: 'push_late'; readonly ms: number } | { readonly kind: 'push_lost' };

export type WireFaultKind = WireFault['kind'];

/** Stage at which a fault strikes. */
export type FaultStage = 'handshake' | 'answer' | 'push';

export const stagesOf: Readonly<Record<WireFaultKind, readonly FaultStage[]>> = {
  delay: ['handshake', 'answer'],
  no_answer: ['handshake', 'answer'],
  lost_request: ['handshake', 'answer'],
  refuse: ['handshake', 'answer'],
  half_frame: ['answer', 'push'],
  wrong_digest: ['answer', 'push'],
  cut: ['answer', 'push'],
  push_twice: ['push'],
  push_late: ['push'],
  push_lost: ['push'],
};

/** Answers or pushes that a fault strikes. */
export interface FaultScope {
  /** "platform", "1001", "api"; every point where it is left out. */
  readonly point?: string;
  /** Any protocol id where it is left out, but for InitConnect (1001) and KeepAlive (1004), which have to be named. */
  readonly protoId?: number;
  /** How often. Default 1; Infinity until the faults are cleared. */
  readonly times?: number;
  /** The chance that it befalls what it could, drawn from the seed. Default 1. */
  readonly chance?: number;
}

export type OrderedFault = WireFault & FaultScope;
