import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { type ChainForm, type ChainLink, chainForms } from './data/chains.js';
import { industryNames } from './data/industries.js';
import { conceptSummaries, industrySummaries } from './data/plate-summaries.js';
import { concepts, type Industry, industries, industryPlate, namedPlate, type Plate } from './plates.js';

/** An industry or a concept over all markets, each of which has a plate of its own for it. */
export interface IndustrialPlate {
  /** Positive. */
  readonly id: number;
  readonly name: string;
  readonly summary: string;
  /** The plate of a market; undefined where it has none. */
  readonly in: (market: QuoteMarket) => Plate | undefined;
}

/** A part of a chain. */
export interface ChainNode {
  readonly id: number;
  /** Undefined for a root. */
  readonly parent: number | undefined;
  /** From 1. */
  readonly layer: number;
  readonly name: string;
  /** Plate of the node; undefined for a node that only groups others. */
  readonly plate: IndustrialPlate | undefined;
}

export interface Chain {
  /** Positive. */
  readonly id: number;
  readonly kind: ChainForm['kind'];
  readonly name: string;
  readonly detail: string;
  /** Layer by layer. */
  readonly nodes: readonly ChainNode[];
  /** Plates of its nodes, each once. */
  readonly plates: readonly IndustrialPlate[];
}

/** As in the codes of the markets' plates: HK.LIST1001 is the first industry's. Regions have 2001 and up there. */
const FIRST_INDUSTRY = 1001;
const FIRST_CONCEPT = 3001;
/** More than any chain has. */
const NODES_MAX = 100;

const ofIndustries = new Map<Industry, IndustrialPlate>(
  industries.map((industry, i) => [
    industry,
    {
      id: FIRST_INDUSTRY + i,
      name: industryNames[industry],
      summary: industrySummaries[industry],
      in: (market) => industryPlate(market, industry),
    },
  ]),
);
const ofConcepts = new Map<string, IndustrialPlate>(
  concepts.map(({ name }, i) => [
    name,
    { id: FIRST_CONCEPT + i, name, summary: conceptSummaries[name] ?? '', in: (market) => namedPlate(market, 'concept', name) },
  ]),
);

/** Industries, then concepts. */
export const industrialPlates: readonly IndustrialPlate[] = [...ofIndustries.values(), ...ofConcepts.values()];

export const chains: readonly Chain[] = chainForms.map((form, i) => {
  const nodes = nodesOf(form, (i + 1) * NODES_MAX);
  const plates = nodes.flatMap(({ plate }) => plate ?? []);
  return { id: i + 1, kind: form.kind, name: form.name, detail: form.detail, nodes, plates: [...new Set(plates)] };
});

/** One-sentence summary of a market's plate; empty for regions, whose names say it. */
export function summaryOf({ kind, name }: Plate): string {
  if (kind === 'region') return '';
  return industrialPlates.find((one) => one.name === name)?.summary ?? '';
}

function nodesOf(form: ChainForm, before: number): readonly ChainNode[] {
  const id = (index: number) => before + 1 + index;
  const linked = ([name, where]: ChainLink, node: Pick<ChainNode, 'id' | 'parent' | 'layer'>) => ({ ...node, name, plate: plateAt(where) });
  if (form.kind === 'series') {
    return form.links.map((link, i) => linked(link, { id: id(i), parent: i === 0 ? undefined : id(i - 1), layer: i + 1 }));
  }
  const groups: readonly (readonly [string, readonly ChainLink[]])[] =
    form.kind === 'parallel'
      ? [[form.name, form.links]]
      : [
          ['Upstream', form.upstream],
          ['Midstream', form.midstream],
          ['Downstream', form.downstream],
        ];
  const roots = groups.map(([name], i) => ({ id: id(i), parent: undefined, layer: 1, name, plate: undefined }));
  const below = groups.flatMap(([, links], group) => links.map((link) => ({ link, parent: id(group) })));
  return [...roots, ...below.map(({ link, parent }, i) => linked(link, { id: id(roots.length + i), parent, layer: 2 }))];
}

function plateAt(where: ChainLink[1]): IndustrialPlate {
  const plate = typeof where === 'string' ? ofIndustries.get(where) : ofConcepts.get(where.concept);
  if (plate === undefined) throw new Error(`a chain leads to the unknown concept ${JSON.stringify(where)}`);
  return plate;
}
