/** Industry of a company; each has one. */
export type Industry = keyof typeof table;

const table = {
  banks: ['Banks', 'Takes deposits, lends to households and companies, and moves payments between them.'],
  insurance: ['Insurance', 'Insures lives, health, property and liability, and invests the premiums until claims fall due.'],
  capitalMarkets: ['Capital Markets', 'Exchanges, brokers, payment networks, asset managers and investment banks.'],
  realEstate: ['Real Estate', 'Develops, owns, lets and manages homes, offices, shops and warehouses, trusts included.'],
  utilities: ['Utilities', 'Generates and distributes electricity, and supplies gas and water, mostly at regulated prices.'],
  energy: ['Oil, Gas & Coal', 'Finds, produces, refines and sells oil, natural gas and coal.'],
  materials: ['Metals & Mining', 'Mines and smelts iron, copper, aluminium, gold, lithium and other metals.'],
  chemicals: ['Chemicals', 'Makes basic, speciality and agricultural chemicals and advanced materials for other industries.'],
  construction: [
    'Construction & Building Materials',
    'Builds homes, roads, railways and plants, and makes cement, glass and other building materials.',
  ],
  machinery: ['Machinery & Electrical Equipment', 'Makes machines, tools, motors, batteries, and power and automation equipment.'],
  aerospace: ['Aerospace & Defence', 'Builds aircraft, engines, satellites and defence systems, and keeps them in service.'],
  transport: [
    'Transport & Logistics',
    'Carries passengers and freight by air, sea, rail and road, and runs ports, airports and parcel networks.',
  ],
  automobiles: ['Automobiles & Parts', 'Makes cars, trucks and motorcycles, and the parts and tyres that go into them.'],
  electronics: ['Electronics & Hardware', 'Makes phones, computers, network equipment, displays, cameras and electronic components.'],
  semiconductors: ['Semiconductors', 'Designs, makes, packages and tests chips, and builds the tools that make them.'],
  software: ['Software & IT Services', 'Writes software that companies subscribe to, and plans and runs their systems.'],
  internet: [
    'Internet Services',
    'Search, social networks, maps, recruitment and other services that are used online and live on advertising and fees.',
  ],
  telecom: ['Telecommunications', 'Runs mobile and fixed networks, and sells access, voice and data over them.'],
  media: ['Media & Entertainment', 'Produces, publishes and streams films, series, music, games and advertising.'],
  retail: ['Retail', 'Sells goods to consumers, in shops and online.'],
  food: ['Food, Beverages & Tobacco', 'Grows, processes and brands food, drinks and tobacco.'],
  household: [
    'Apparel & Household Goods',
    'Makes clothes, shoes, appliances, toys, cosmetics and other goods for the home and for everyday use.',
  ],
  leisure: ['Travel & Leisure', 'Hotels, restaurants, casinos, theme parks and travel agencies.'],
  pharma: ['Pharmaceuticals & Biotechnology', 'Discovers, tests, makes and sells medicines and vaccines.'],
  health: ['Health Care Equipment & Services', 'Makes medical devices and supplies, and runs hospitals and laboratories.'],
  conglomerates: ['Conglomerates', 'Holds businesses of many industries under one roof.'],
} as const satisfies Record<string, readonly [name: string, summary: string]>;

export const industries = Object.keys(table) as readonly Industry[];

/** Name and one-sentence summary of an industry. */
export function describedIndustry(industry: Industry): { readonly name: string; readonly summary: string } {
  const [name, summary] = table[industry];
  return { name, summary };
}
