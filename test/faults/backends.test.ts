import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpendStage } from './backends/opend-stage.js';
import { RemoteStage } from './backends/remote-stage.js';
import { Schedules } from './backends/schedule.js';
import type { Stage } from './backends/stage.js';
import { seededRandom } from './random.js';

/**
 * Schedules of faults between the daemon and what stands behind it, under trading load: by `SVC_FAULT_SCHEDULES` so many, from
 * seed `SVC_FAULT_SEED` on; `SVC_FAULT_BACKEND` picks one backend. One that fails is named by its seed, and is the same again from
 * it, as far as the network is.
 */
const schedules = Number(process.env.SVC_FAULT_SCHEDULES ?? 3);
const firstSeed = Number(process.env.SVC_FAULT_SEED ?? 1);
/** Time runs faster than it does, so that patience is short; a machine that is busy is one more fault. */
const SPEED = 10;
const SCHEDULE_MS_MAX = 150_000;

const stages: Readonly<Record<string, (speed: number) => Promise<Stage>>> = {
  opend: (speed) => OpendStage.start(speed),
  remote: (speed) => RemoteStage.start(speed),
};
const backends = Object.keys(stages).filter((name) => name === (process.env.SVC_FAULT_BACKEND ?? name));

describe.each(backends)('the backend %s under faults', (name) => {
  let stage: Stage;
  let played: Schedules;

  beforeAll(async () => {
    stage = await (stages[name] as (typeof stages)[string])(SPEED);
    played = await Schedules.begin(stage);
  });
  afterAll(() => stage.stop());

  it.each(Array.from({ length: schedules }, (_, index) => firstSeed + index))(
    'loses and doubles no order, and tells of every gap: seed %i',
    (seed) => played.run(seed, seededRandom(seed)),
    SCHEDULE_MS_MAX,
  );

  it('leaves no timer behind', async () => {
    await stage.daemon.halt();
    expect(stage.clock.armed).toEqual([]);
  });
});
