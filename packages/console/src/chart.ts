import { setAttribute, svg } from './dom.js';
import { levelOf, linePoints } from './line.js';

const SPARK = { width: 96, height: 24 };

/** A small line of prices, in a cell: what the figures beside it say anyway, so hidden from screen readers. */
export class Sparkline {
  readonly #line = svg('polyline', { class: 'line', fill: 'none' });
  readonly #base = svg('line', { class: 'base', x1: '0', x2: String(SPARK.width) });
  readonly picture = svg(
    'svg',
    { class: 'spark', viewBox: `0 0 ${SPARK.width} ${SPARK.height}`, 'aria-hidden': 'true', focusable: 'false' },
    this.#base,
    this.#line,
  );

  /** `close`: the close before, drawn as a level line. */
  draw(prices: readonly number[], close: number | undefined): void {
    setAttribute(this.#line, 'points', linePoints(prices, SPARK.width, SPARK.height, close));
    const level = close === undefined || prices.length < 2 ? undefined : String(levelOf(close, prices, SPARK.height));
    setAttribute(this.#base, 'visibility', level === undefined ? 'hidden' : undefined);
    for (const end of ['y1', 'y2']) setAttribute(this.#base, end, level);
  }
}

const CHART = { width: 640, height: 160 };

/** The course of a symbol over the bars that are shown, with the close before as a dashed line. */
export class Chart {
  readonly #area = svg('polygon', { class: 'area' });
  readonly #line = svg('polyline', { class: 'line', fill: 'none' });
  readonly #base = svg('line', { class: 'base', x1: '0', x2: String(CHART.width) });
  readonly picture = svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${CHART.width} ${CHART.height}`, preserveAspectRatio: 'none', role: 'img' },
    this.#area,
    this.#base,
    this.#line,
  );

  /** `description`: what a screen reader says in its place. */
  draw(prices: readonly number[], close: number | undefined, description: string): void {
    setAttribute(this.picture, 'aria-label', description);
    const points = linePoints(prices, CHART.width, CHART.height, close);
    setAttribute(this.#line, 'points', points);
    setAttribute(this.#area, 'points', points === '' ? '' : `0,${CHART.height} ${points} ${CHART.width},${CHART.height}`);
    const level = close === undefined || points === '' ? undefined : String(levelOf(close, prices, CHART.height));
    setAttribute(this.#base, 'visibility', level === undefined ? 'hidden' : undefined);
    for (const end of ['y1', 'y2']) setAttribute(this.#base, end, level);
  }
}
