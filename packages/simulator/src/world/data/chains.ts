/** Steps of a chain in order, each with the companies that take it: those of an industry, by its key, or of a concept, by its name. */
export type ChainLinks = Readonly<Record<string, string>>;

interface Named {
  readonly name: string;
  readonly detail: string;
}

/** From raw material to customer, several steps at each stage. */
interface StagedForm extends Named {
  readonly kind: 'upMidDown';
  readonly upstream: ChainLinks;
  readonly midstream: ChainLinks;
  readonly downstream: ChainLinks;
}

/** One step after the other, or side by side for the same customers. */
interface LinkedForm extends Named {
  readonly kind: 'series' | 'parallel';
  readonly links: ChainLinks;
}

/** Industries that live on each other's products. */
export type ChainForm = StagedForm | LinkedForm;

/** A chain's number is its place in this list: new ones go to its end. */
export const chainForms: readonly ChainForm[] = [
  {
    name: 'Semiconductors',
    detail: 'From silicon, gases and lithography to chips, and to the devices, cars and data centres that run on them.',
    kind: 'upMidDown',
    upstream: { 'Process Chemicals & Gases': 'chemicals', 'Silicon & Metals': 'materials', 'Precision Equipment': 'machinery' },
    midstream: { 'Chip Design, Foundries & Tools': 'semiconductors' },
    downstream: { 'Consumer Electronics': 'electronics', 'Automotive Electronics': 'automobiles', 'Data Centres': 'Cloud Computing' },
  },
  {
    name: 'Electric Vehicles',
    detail: 'From lithium and rare earths over cells, motors and power chips to cars, charging and fleets.',
    kind: 'upMidDown',
    upstream: { 'Lithium, Nickel & Rare Earths': 'materials', 'Battery Chemicals': 'chemicals', 'Power Semiconductors': 'semiconductors' },
    midstream: { 'Batteries & Motors': 'machinery', 'Electric Cars': 'Electric Vehicles', 'Car Makers': 'automobiles' },
    downstream: { 'Charging & Power Supply': 'utilities', 'Fleets & Ride Hailing': 'transport' },
  },
  {
    name: 'Clean Energy',
    detail: 'From silicon, steel and resins over panels, turbines and storage to power stations and grids.',
    kind: 'upMidDown',
    upstream: { 'Silicon, Steel & Copper': 'materials', 'Resins & Coatings': 'chemicals' },
    midstream: { 'Turbines, Panels & Storage': 'machinery', 'Inverters & Controls': 'electronics', 'Project Developers': 'Clean Energy' },
    downstream: { 'Power Stations & Grids': 'utilities' },
  },
  {
    name: 'Artificial Intelligence',
    detail: 'From accelerators and servers over clouds and models to the services and machines that use them.',
    kind: 'upMidDown',
    upstream: { 'Accelerators & Memory': 'semiconductors', 'Servers & Networking': 'electronics', 'Power for Data Centres': 'utilities' },
    midstream: { Clouds: 'Cloud Computing', 'Models & Platforms': 'Artificial Intelligence' },
    downstream: { 'Business Software': 'software', 'Online Services': 'internet', Robots: 'Robotics' },
  },
  {
    name: 'Oil & Gas',
    detail: 'From drilling equipment over wells and refineries to petrochemicals and the fuel that transport burns.',
    kind: 'series',
    links: {
      'Drilling & Oilfield Equipment': 'machinery',
      'Exploration, Production & Refining': 'energy',
      Petrochemicals: 'chemicals',
      'Fuel Users': 'transport',
    },
  },
  {
    name: 'Medicines',
    detail: 'From active ingredients over research and approval to hospitals, and to those who pay for the treatment.',
    kind: 'series',
    links: {
      'Ingredients & Reagents': 'chemicals',
      'Research & New Drugs': 'Innovative Drugs',
      'Makers of Medicines': 'pharma',
      'Devices & Hospitals': 'health',
      Insurers: 'insurance',
    },
  },
  {
    name: 'Food',
    detail: 'From fertiliser and farm machines over brands of food and drink to shops and restaurants.',
    kind: 'series',
    links: {
      'Fertilisers & Crop Protection': 'chemicals',
      'Farm & Food Machinery': 'machinery',
      'Food, Drinks & Tobacco': 'food',
      Shops: 'retail',
      'Restaurants & Hotels': 'leisure',
    },
  },
  {
    name: 'Property & Construction',
    detail: 'From steel, cement and excavators over building to owners, lenders and furnishings.',
    kind: 'upMidDown',
    upstream: { 'Steel & Metals': 'materials', 'Construction Machinery': 'machinery', 'Paints & Plastics': 'chemicals' },
    midstream: { 'Builders & Building Materials': 'construction', 'Developers & Landlords': 'realEstate' },
    downstream: { 'Mortgage Lenders': 'banks', 'Furniture & Appliances': 'household' },
  },
  {
    name: 'Mobile Communication',
    detail: 'From radio chips over network equipment and operators to what people do on their phones.',
    kind: 'upMidDown',
    upstream: { 'Radio & Network Chips': 'semiconductors' },
    midstream: { 'Network Equipment & Phones': 'electronics', '5G Suppliers': '5G', Operators: 'telecom' },
    downstream: { 'Online Services': 'internet', 'Streaming & Games': 'media' },
  },
  {
    name: 'Online Shopping',
    detail: 'From brands over platforms and payments to the parcel at the door.',
    kind: 'series',
    links: {
      Brands: 'Consumer Brands',
      'Platforms & Sellers': 'E-commerce',
      Payments: 'Digital Payments',
      'Parcels & Logistics': 'transport',
    },
  },
  {
    name: 'Aerospace & Defence',
    detail: 'From alloys and avionics over airframes and engines to airlines and satellite services.',
    kind: 'series',
    links: {
      'Alloys & Composites': 'materials',
      'Avionics & Sensors': 'electronics',
      'Airframes, Engines & Systems': 'aerospace',
      'Airlines & Freight': 'transport',
      'Space Services': 'Space',
    },
  },
  {
    name: 'Metals & Gold',
    detail: 'From mining machines over pits and smelters to the makers of what metal becomes.',
    kind: 'series',
    links: {
      'Mining Machinery': 'machinery',
      'Mines & Smelters': 'materials',
      'Gold Producers': 'Gold',
      'Appliances & Jewellery': 'household',
    },
  },
  {
    name: 'Financial Services',
    detail: 'Banks, insurers, brokers and managers who look after the same savings and payments.',
    kind: 'parallel',
    links: {
      Banking: 'banks',
      Insurance: 'insurance',
      'Exchanges, Brokers & Managers': 'capitalMarkets',
      'Wealth Management': 'Wealth Management',
      'Digital Payments': 'Digital Payments',
    },
  },
  {
    name: 'Digital Entertainment',
    detail: 'Games, films, music and social networks that compete for the same hours and advertising budgets.',
    kind: 'parallel',
    links: { Games: 'Online Games', 'Film, Music & Publishing': 'media', 'Social Networks & Search': 'internet', Access: 'telecom' },
  },
  {
    name: 'Travel',
    detail: 'Getting there, staying there and being entertained, paid for out of one holiday budget.',
    kind: 'parallel',
    links: {
      'Airlines, Rail & Airports': 'transport',
      'Hotels, Casinos & Parks': 'leisure',
      'Booking Platforms': 'internet',
      Shopping: 'retail',
    },
  },
  {
    name: 'Infrastructure',
    detail: 'From plans and concrete to the owners and operators of networks for generations.',
    kind: 'upMidDown',
    upstream: { 'Steel & Aggregates': 'materials', 'Heavy Equipment': 'machinery' },
    midstream: { 'Civil Engineering': 'construction', 'Project Companies': 'Infrastructure' },
    downstream: {
      'Power & Water': 'utilities',
      'Ports, Roads & Rail': 'transport',
      'Holding Companies': 'conglomerates',
      'State-Owned Operators': 'State-Owned Enterprise Value',
    },
  },
  {
    name: 'Robots & Automation',
    detail: 'From chips and drives over robots and their software to the factories and hospitals that use them.',
    kind: 'upMidDown',
    upstream: { 'Control Chips & Sensors': 'semiconductors', 'Drives & Gears': 'machinery' },
    midstream: { 'Robot Makers': 'Robotics', 'Control Software': 'software' },
    downstream: { 'Car Factories': 'automobiles', 'Electronics Factories': 'electronics', Surgery: 'health' },
  },
  {
    name: 'Clothes & Household Goods',
    detail: 'From fibres and dyes over makers and brands to shops.',
    kind: 'series',
    links: { 'Fibres & Dyes': 'chemicals', 'Clothes, Shoes & Appliances': 'household', Brands: 'Consumer Brands', Shops: 'retail' },
  },
];
