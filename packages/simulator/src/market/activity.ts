import type { TradingSession } from '../world/calendar.js';

/**
 * Where in a day its trades fall: activity 0 is the first session's start, 1 the last one's end, and equal segments of
 * activity hold equally many trades on average. Sessions are busier at their ends than in the middle; extended ones are quiet.
 */
export interface Activity {
  /** Length of the day in seconds of regular trading (a second of an extended session counts for {@link EXTENDED_WEIGHT}). */
  readonly seconds: number;
  /** Epoch ms, whole, inside a session, at an activity in [0, 1]. Never falls as activity rises. */
  timeAt(activity: number): number;
}

const EXTENDED_WEIGHT = 0.08;
/** How much busier than the average a session's ends are: 0 not at all, 0.5 twice. */
const CURVATURE = 0.5;

export function activityOf(sessions: readonly TradingSession[]): Activity {
  const weights = sessions.map((session) => (session.end - session.start) * (session.kind === 'regular' ? 1 : EXTENDED_WEIGHT));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    seconds: total / 1000,
    timeAt(activity) {
      let rest = activity * total;
      let time = 0;
      for (let i = 0; i < sessions.length; i++) {
        const session = sessions[i] as TradingSession;
        const weight = weights[i] as number;
        const part = Math.min(1, Math.max(0, rest / weight));
        // Slow at both ends: a cubic whose slope there is 1 - CURVATURE.
        const elapsed = (1 - CURVATURE) * part + CURVATURE * part * part * (3 - 2 * part);
        time = Math.min(session.end - 1, Math.floor(session.start + (session.end - session.start) * elapsed));
        rest -= weight;
        if (rest < 0) break;
      }
      return time;
    },
  };
}
