// Which folder of src/ may import from which: what is not listed here is not allowed, types included, and a folder that is not
// listed may neither import nor be imported. `scripts/arrows.mjs` holds every file against it; docs/architecture.md has the picture.
// A target is a folder, or one file of it (mostly its face, index.ts).

const contract = ['contract', 'contract/json', 'contract/operations', 'contract/generated'];
const worldAndBelow = ['simulator/world', 'simulator/chance', 'contract'];
const interfaceTargets = ['interfaces/common', 'gateway/index.ts', 'gateway/push/index.ts', ...contract];
const simulatorTargets = [
  'simulator/refusal.ts',
  'simulator/pace.ts',
  'simulator/view',
  'simulator/chance',
  'simulator/companies',
  'simulator/brokerage',
  'simulator/market',
  'simulator/pricing',
  'simulator/world',
  ...contract,
];
const answerTargets = ['simulator/answers/table.ts', ...simulatorTargets];

const simServerTargets = [
  'interfaces/common',
  'interfaces/core/index.ts',
  'gateway/backend.ts',
  'gateway/push/index.ts',
  'simulator/view/server.ts',
  'storage/index.ts',
  'wire/index.ts',
  ...contract,
];

/** @type {Readonly<Record<string, readonly string[]>>} */
export const arrows = {
  '.': [],

  contract: ['contract/json', 'contract/operations/index.ts', 'contract/generated'],
  'contract/json': ['contract'],
  'contract/operations': ['contract', 'contract/generated'],
  'contract/generated': [],

  wire: ['contract', 'contract/json'],
  storage: [],
  access: ['storage/index.ts', 'contract', 'contract/json'],

  gateway: [
    'gateway/local',
    'gateway/orders',
    'gateway/preview/index.ts',
    'gateway/push/index.ts',
    'access/index.ts',
    'storage/index.ts',
    ...contract,
  ],
  'gateway/orders': ['gateway', 'access/index.ts', 'storage/index.ts', ...contract],
  'gateway/preview': ['gateway', 'gateway/orders', 'access/index.ts', ...contract],
  'gateway/push': ['gateway', ...contract],
  'gateway/local': ['gateway', 'gateway/orders', 'gateway/push/index.ts', 'access/index.ts', ...contract],

  'simulator/world': ['simulator/world/data', 'simulator/chance', 'contract', 'simulator/world/holidays'],
  'simulator/world/data': ['simulator/world', 'simulator/world/holidays', 'contract'],
  'simulator/world/holidays': ['contract'],
  'simulator/chance': [],
  'simulator/pricing': [],
  'simulator/companies': worldAndBelow,
  'simulator/market': ['simulator/companies', 'simulator/pricing', ...worldAndBelow],
  'simulator/exchange': ['simulator/market', ...worldAndBelow],
  'simulator/ledger': ['simulator/row-keys.ts', 'storage/index.ts', 'contract'],
  'simulator/brokerage': [
    'simulator/brokerage/clearing',
    'simulator/companies/corporate-actions.ts',
    'simulator/refusal.ts',
    'simulator/ledger/index.ts',
    'simulator/pace.ts',
    'simulator/row-keys.ts',
    'simulator/exchange/index.ts',
    'simulator/market',
    'storage/index.ts',
    'contract/generated',
    ...worldAndBelow,
  ],
  'simulator/brokerage/clearing': [
    'simulator/brokerage',
    'simulator/companies/corporate-actions.ts',
    'simulator/ledger/index.ts',
    'simulator/pace.ts',
    'simulator/market',
    ...worldAndBelow,
  ],
  'simulator/view': [
    'simulator/refusal.ts',
    'simulator/pace.ts',
    'simulator/brokerage',
    'simulator/market',
    'simulator/companies/index.ts',
    'simulator/chance',
    'simulator/world',
    'storage/index.ts',
    ...contract,
  ],
  'simulator/answers': [
    'simulator/answers/account/index.ts',
    'simulator/answers/derivatives/index.ts',
    'simulator/answers/metadata/index.ts',
    'simulator/answers/quote/index.ts',
    'simulator/answers/system/index.ts',
    'simulator/answers/trade/index.ts',
    'simulator/view',
    'contract',
    'contract/operations',
  ],
  'simulator/answers/account': answerTargets,
  'simulator/answers/derivatives': answerTargets,
  'simulator/answers/metadata': answerTargets,
  'simulator/answers/quote': answerTargets,
  'simulator/answers/system': answerTargets,
  'simulator/answers/trade': answerTargets,
  // Its composition; what all of its rooms share (refusals, pace) lies beside it.
  simulator: [
    'simulator/brokerage/index.ts',
    'simulator/companies/index.ts',
    'simulator/market/index.ts',
    'simulator/view',
    'simulator/world/index.ts',
    'storage/index.ts',
    'contract',
  ],

  'backends/sim': [
    'backends/framed/lifecycle.ts',
    'gateway/index.ts',
    'gateway/backend.ts',
    'gateway/push/index.ts',
    'recording/index.ts',
    'simulator',
    'simulator/answers/index.ts',
    ...simulatorTargets,
    'storage/index.ts',
  ],

  // The client of the public protocol, and the backends on top of it.
  'backends/framed': ['gateway/index.ts', 'gateway/backend.ts', 'gateway/push/index.ts', 'wire/index.ts', ...contract],
  'backends/comfort': ['backends/framed/index.ts', 'gateway/index.ts', 'gateway/backend.ts', ...contract],
  'backends/opend': [
    'backends/opend/comfort/index.ts',
    'backends/comfort/index.ts',
    'backends/framed/index.ts',
    'gateway/index.ts',
    'gateway/backend.ts',
    'gateway/push/index.ts',
    'wire/index.ts',
    ...contract,
  ],
  'backends/opend/comfort': [
    'backends/comfort/index.ts',
    'backends/framed/index.ts',
    'gateway/index.ts',
    'gateway/backend.ts',
    'gateway/push/index.ts',
    ...contract,
  ],
  'backends/remote': [
    'backends/comfort/index.ts',
    'backends/framed/index.ts',
    'gateway/index.ts',
    'gateway/backend.ts',
    'storage/index.ts',
    ...contract,
  ],

  // The simulated brokerage as a server of its own: the core listeners in front of it.
  'sim-server': [
    'sim-server/brokerage/brokerage-server.ts',
    'sim-server/faults',
    'sim-server/opend/opend-server.ts',
    'sim-server/opend/texts.ts',
    'simulator/brokerage/account.ts',
    ...simServerTargets,
  ],
  'sim-server/faults': ['sim-server', 'simulator/chance', 'contract', 'contract/json'],
  'sim-server/login': ['sim-server', 'storage/index.ts', 'contract', 'contract/json'],
  'sim-server/brokerage': ['sim-server', 'sim-server/faults', 'sim-server/login', 'simulator/brokerage/account.ts', ...simServerTargets],
  'sim-server/opend': ['sim-server', 'sim-server/faults', ...simServerTargets],

  recording: ['gateway/index.ts', 'gateway/push/index.ts', ...contract],

  'interfaces/common': ['gateway/index.ts', 'gateway/push/index.ts', ...contract],
  'interfaces/rest': interfaceTargets,
  'interfaces/ws': interfaceTargets,
  'interfaces/mcp': interfaceTargets,
  'interfaces/grpc': interfaceTargets,
  'interfaces/core': ['wire/index.ts', 'access/index.ts', ...interfaceTargets],

  // What svcd and svcctl know of each other: the socket in the state folder and the record of a running demo.
  control: ['storage/index.ts'],
  daemon: ['control', 'gateway/index.ts', 'gateway/bounds.ts', 'access/index.ts', 'storage/index.ts', '.', ...contract],
  cli: ['cli/mcp', 'control', 'access/index.ts', 'storage/index.ts', '.', ...contract],
  'cli/mcp': ['cli', 'access/index.ts', 'contract/json', '.'],

  // The composition roots, svcd and svcctl: the one place that knows every part.
  entry: [
    'recording/index.ts',
    'daemon',
    'cli',
    'control',
    'backends/framed/index.ts',
    'backends/opend/index.ts',
    'backends/remote/index.ts',
    'backends/sim/index.ts',
    'sim-server/index.ts',
    'interfaces/common',
    'interfaces/core/index.ts',
    'interfaces/grpc/index.ts',
    'interfaces/mcp/index.ts',
    'interfaces/rest/index.ts',
    'interfaces/ws/index.ts',
    'simulator/simulation.ts',
    'gateway/index.ts',
    'access/index.ts',
    'storage/index.ts',
    'wire/index.ts',
    '.',
    ...contract,
  ],
};
