import { ManualClock } from '@svc-gateway/contract/clock';
import { expect, it } from 'vitest';
import { collected, Fixture, ids } from '../../../../test/support/brokerage.js';
import { ScriptedMarket } from '../../../../test/support/scripted-market.js';
import { nextTurn } from '../pace.js';
import { currenciesOf } from './account.js';
import { type Brokerage, openBrokerage } from './index.js';

const YEAR = 365 * 24 * 3_600_000;

async function traded(): Promise<Fixture> {
  const f = Fixture.open();
  f.book('HK.00700', [], [['600', 50_000n]]);
  await f.place(ids.hkMargin, { code: '00700', qty: 20_000, price: 600 });
  await f.pass();
  await f.brokerage.close();
  return f;
}

/** As the daemon opens it, `later` ms after. */
function reopened({ clock, store, simulation, corporateActions }: Fixture, later: number): Promise<Brokerage> {
  const newClock = new ManualClock(clock.now() + later);
  const market = new ScriptedMarket(newClock);
  return openBrokerage({ clock: newClock, world: simulation.world, market, store, seed: 1, corporateActions, tradePassword: '123456' });
}

function balances({ accounts, records }: Brokerage) {
  return accounts.flatMap((account) =>
    currenciesOf(account).map((currency) => {
      const { settled, unsettled, dividends, interest, realised, withdrawable } = records.money.balances(account.id, currency);
      return { account: account.id, currency, settled, unsettled, dividends, interest, realised, withdrawable };
    }),
  );
}

const entriesOf = (brokerage: Brokerage, id: bigint) => collected(brokerage.records.money.transactions(id, 0, Number.MAX_SAFE_INTEGER));

it('counts sums that were lost again from their entries, and opens no account a second time', async () => {
  const f = await traded();
  const before = balances(f.brokerage);
  const rows = f.store.table<string>('sim-balances');
  await f.store.write((change) => {
    change.remove(rows, `${ids.hkMargin}/HKD`);
    change.remove(rows, `${ids.futures}/USD`);
  });
  const brokerage = await reopened(f, 0);
  expect(balances(brokerage)).toEqual(before);
  expect((await entriesOf(brokerage, ids.hkMargin)).map(({ cause }) => cause)).toEqual(['opening', 'fill']);
  await brokerage.close();
});

it('books years that passed in slices, as it would have in one', async () => {
  const [f, other] = [await traded(), await traded()];
  const atOnce = other.restarted(YEAR);
  let turns = 0;
  let done = false;
  const opening = reopened(f, YEAR).finally(() => {
    done = true;
  });
  while (!done) {
    await nextTurn();
    turns += 1;
  }
  const brokerage = await opening;
  expect(turns).toBeGreaterThan(100);
  expect(balances(brokerage)).toEqual(balances(atOnce.brokerage));
  await atOnce.brokerage.close();
  await brokerage.close();
  const causes = async (one: Brokerage) => (await entriesOf(one, ids.hkMargin)).map(({ cause, time }) => `${cause} ${time}`);
  expect(await causes(brokerage)).toEqual(await causes(atOnce.brokerage));
});
