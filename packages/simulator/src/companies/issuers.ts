import type { Instrument } from '../world/instrument.js';

/** One listing of an issuer, and how many ordinary shares one share of it stands for: 8 for a depositary share of eight. */
export interface ShareClass {
  readonly instrument: Instrument;
  readonly ordinary: number;
  /** Shares of a bank that keeps the ordinary ones. */
  readonly depositary: boolean;
}

/** Issuer of an equity. */
export interface Issuer {
  /** Where its home is: its market decides the reporting season and the currency of its accounts. */
  readonly home: Instrument;
  /** Home first. */
  readonly classes: readonly ShareClass[];
  /** Ordinary shares on the reference day. */
  readonly ordinaryShares: bigint;
}

/** Equities that share an issuer. */
interface SharedRow {
  readonly home: string;
  readonly others: readonly (readonly [symbol: string, ordinary: number])[];
  /** Scope of `Instrument.sharesIssued`: all shares of the issuer in each listing (depositary shares), or those of one class. */
  readonly counts: 'all' | 'class';
}

const depositary = (home: string, symbol: string, ordinary: number): SharedRow => ({ home, others: [[symbol, ordinary]], counts: 'all' });
/** Shares of the mainland and Hong Kong: one issuer, two classes with equal rights. */
const mainland = (symbol: string, home: string): SharedRow => ({ home, others: [[symbol, 1]], counts: 'class' });

const shared: readonly SharedRow[] = [
  depositary('HK.09988', 'US.BABA', 8),
  depositary('HK.09618', 'US.JD', 2),
  depositary('HK.09888', 'US.BIDU', 8),
  depositary('HK.09999', 'US.NTES', 5),
  depositary('HK.09961', 'US.TCOM', 1),
  depositary('HK.09626', 'US.BILI', 1),
  depositary('HK.02015', 'US.LI', 2),
  depositary('HK.09866', 'US.NIO', 1),
  depositary('HK.09868', 'US.XPEV', 2),
  depositary('HK.00005', 'US.HSBC', 5),
  depositary('JP.7203', 'US.TM', 10),
  mainland('HK.00386', 'SH.600028'),
  mainland('HK.00763', 'SZ.000063'),
  mainland('HK.00857', 'SH.601857'),
  mainland('HK.00914', 'SH.600585'),
  mainland('HK.00939', 'SH.601939'),
  mainland('HK.00981', 'SH.688981'),
  mainland('HK.01088', 'SH.601088'),
  mainland('HK.01211', 'SZ.002594'),
  mainland('HK.01288', 'SH.601288'),
  mainland('HK.01398', 'SH.601398'),
  mainland('HK.00728', 'SH.601728'),
  mainland('HK.02318', 'SH.601318'),
  mainland('HK.02359', 'SH.603259'),
  mainland('HK.02628', 'SH.601628'),
  mainland('HK.02899', 'SH.601899'),
  mainland('HK.03968', 'SH.600036'),
  mainland('HK.03988', 'SH.601988'),
  mainland('HK.06690', 'SH.600690'),
  mainland('HK.00941', 'SH.600941'),
  mainland('HK.01772', 'SZ.002460'),
  mainland('HK.01787', 'SH.600547'),
  mainland('HK.01919', 'SH.601919'),
  mainland('HK.01988', 'SH.600016'),
  mainland('HK.02202', 'SZ.000002'),
  mainland('HK.02600', 'SH.601600'),
  mainland('HK.03750', 'SZ.300750'),
  mainland('HK.03993', 'SH.603993'),
  mainland('HK.06030', 'SH.600030'),
  { home: 'US.GOOGL', others: [['US.GOOG', 1]], counts: 'class' },
  { home: 'US.BRK.B', others: [['US.BRK.A', 1500]], counts: 'class' },
];

const rowOf = new Map<string, SharedRow>();
for (const row of shared) for (const symbol of [row.home, ...row.others.map(([other]) => other)]) rowOf.set(symbol, row);

/** The issuer of an equity. Its other listings are part of it as far as the world has them. */
export function issuerOf(equity: Instrument, find: (symbol: string) => Instrument | undefined): Issuer {
  const row = rowOf.get(equity.symbol);
  const home = row === undefined ? undefined : find(row.home);
  if (row === undefined || home === undefined) {
    return { home: equity, classes: [{ instrument: equity, ordinary: 1, depositary: false }], ordinaryShares: equity.sharesIssued };
  }
  const others = row.others.flatMap(([symbol, ordinary]) => {
    const instrument = find(symbol);
    return instrument === undefined ? [] : [{ instrument, ordinary, depositary: row.counts === 'all' }];
  });
  const classes = [{ instrument: home, ordinary: 1, depositary: false }, ...others];
  const counted = row.counts === 'all' ? classes.slice(0, 1) : classes;
  const ordinaryShares = counted.reduce((sum, { instrument, ordinary }) => sum + instrument.sharesIssued * BigInt(ordinary), 0n);
  return { home, classes, ordinaryShares };
}
