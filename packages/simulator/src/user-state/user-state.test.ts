import { create } from '@bufbuild/protobuf';
import { EventAlertItemSchema } from '@svc-gateway/contract/generated/Qot_GetOptionEventAlert_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { expect, it } from 'vitest';
import { CrashingStore } from '../../../../test/support/crashing-store.js';
import { UserState } from './index.js';

const far = { symbol: 'HK.00700', type: 1, value: 1_000_000, freq: 1, note: '', sessions: [] };

it('gives no key twice, though the newest was deleted before a restart', async () => {
  const store = new MemoryStore();
  let { reminders, optionAlerts } = new UserState(store);
  const key = await reminders.add(far);
  await optionAlerts.add([create(EventAlertItemSchema, { optionMarket: 1 })]);
  const [alert] = optionAlerts.all();
  await reminders.remove(far.symbol, [key as bigint]);
  await optionAlerts.remove([alert!.key]);
  ({ reminders, optionAlerts } = new UserState(store));
  expect(await reminders.add(far)).toBe((key as bigint) + 1n);
  await optionAlerts.add([create(EventAlertItemSchema, { optionMarket: 1 })]);
  expect(optionAlerts.all()[0]!.key).toBe(alert!.key + 1n);
});

it('shows what is being written once it is on disk, so that no reader sees what a crash undoes', async () => {
  const store = new CrashingStore();
  const state = new UserState(store);
  expect(state.whenDurable('at once')).toBe('at once');
  store.hold();
  const written = state.notes.put({ symbol: 'HK.00700', text: 'Results on Wednesday.', updatedAt: 1 });
  let shown = false;
  const reading = Promise.resolve(state.whenDurable(state.notes.all())).then((notes) => {
    shown = true;
    return notes;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown).toBe(false);
  await store.flush();
  await written;
  expect(await reading).toMatchObject([{ text: 'Results on Wednesday.' }]);
  expect(state.whenDurable('at once')).toBe('at once');
});
