import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { type ChainForm, type ChainLinks, chainForms } from './data/chains.js';
import { conceptSummaries } from './data/concepts.js';
import { describedIndustry } from './data/industries.js';
import { concepts, industries, industryPlate, namedPlate, type Plate } from './plates.js';

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

/** By the key of an industry or the name of a concept. */
const byName = new Map<string, IndustrialPlate>([
  ...industries.map((industry, i) => {
    const plate = { id: FIRST_INDUSTRY + i, ...describedIndustry(industry), in: (market: QuoteMarket) => industryPlate(market, industry) };
    return [industry, plate] as const;
  }),
  ...concepts.map(({ name }, i) => {
    const find = (market: QuoteMarket) => namedPlate(market, 'concept', name);
    return [name, { id: FIRST_CONCEPT + i, name, summary: conceptSummaries[name] ?? '', in: find }] as const;
  }),
]);

/** Industries, then concepts. */
export const industrialPlates: readonly IndustrialPlate[] = [...byName.values()];

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
  if (form.kind === 'series') {
    const steps = platesAlong(form.links);
    return steps.map((step, i) => ({ ...step, id: id(i), parent: i === 0 ? undefined : id(i - 1), layer: i + 1 }));
  }
  const groups: readonly (readonly [string, ChainLinks])[] =
    'links' in form
      ? [[form.name, form.links]]
      : [
          ['Upstream', form.upstream],
          ['Midstream', form.midstream],
          ['Downstream', form.downstream],
        ];
  const roots = groups.map(([name], i) => ({ id: id(i), parent: undefined, layer: 1, name, plate: undefined }));
  const below = groups.flatMap(([, links], group) => platesAlong(links).map((step) => ({ ...step, parent: id(group), layer: 2 })));
  return [...roots, ...below.map((step, i) => ({ ...step, id: id(roots.length + i) }))];
}

function platesAlong(links: ChainLinks): readonly Pick<ChainNode, 'name' | 'plate'>[] {
  return Object.entries(links).map(([name, where]) => {
    const plate = byName.get(where);
    if (plate === undefined) throw new Error(`a chain leads to the unknown industry or concept ${JSON.stringify(where)}`);
    return { name, plate };
  });
}
