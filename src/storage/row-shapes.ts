/** A path of property names, and the number of the objects that have exactly these, in this order. */
interface Node {
  readonly names: readonly string[];
  readonly next: Map<string, Node>;
  number: number | undefined;
  /** The one of `next` that was taken last, and its name: mostly it is taken again. */
  last: Node | undefined;
  lastName: string | undefined;
}

/** The names that objects have, and one that has them without values. */
interface Shape {
  readonly names: readonly string[];
  readonly blank: Readonly<Record<string, unknown>>;
}

/** Beyond these a row is written with the names of its properties: they are no names then, but keys. */
const SHAPES_MAX = 1_000;
const NODES_MAX = 20_000;

/** The shapes of objects, numbered, so that a row need not repeat the names of its properties. A database has its own. */
export class RowShapes {
  readonly #root = newNode([]);
  readonly #shapes: Shape[] = [];
  #nodes = 1;
  /** How many of them have been taken to be written. */
  #taken = 0;

  /** Where the path of an object begins. */
  get root(): Node {
    return this.#root;
  }

  /** One name further; undefined where there are too many paths, and for the one name that cannot be given to a plain object. */
  step(node: Node, name: string): Node | undefined {
    if (node.lastName === name) return node.last;
    if (name === '__proto__') return undefined;
    const next = node.next.get(name) ?? this.#grow(node, name);
    if (next === undefined) return undefined;
    node.last = next;
    node.lastName = name;
    return next;
  }

  #grow(node: Node, name: string): Node | undefined {
    if (this.#nodes >= NODES_MAX) return undefined;
    const next = newNode([...node.names, name]);
    node.next.set(name, next);
    this.#nodes += 1;
    return next;
  }

  /** The number of the shape at the end of a path; undefined where there are too many. */
  numberOf(node: Node): number | undefined {
    if (node.number === undefined && this.#shapes.length < SHAPES_MAX) node.number = this.#shapes.push(shapeOf(node.names)) - 1;
    return node.number;
  }

  /** undefined where there is none of this number. */
  shape(number: number): Shape | undefined {
    return this.#shapes[number];
  }

  /** Takes up the next shape of an earlier process. */
  restore(names: readonly string[]): void {
    let node = this.#root;
    for (const name of names) node = this.step(node, name) ?? node;
    node.number = this.#shapes.push(shapeOf(names)) - 1;
    this.#taken = this.#shapes.length;
  }

  /** Shapes that are new since the last call: they must be on disk no later than the first row that has them. */
  takeNew(): readonly { readonly number: number; readonly names: readonly string[] }[] {
    if (this.#taken === this.#shapes.length) return [];
    const from = this.#taken;
    this.#taken = this.#shapes.length;
    return this.#shapes.slice(from).map(({ names }, index) => ({ number: from + index, names }));
  }
}

function shapeOf(names: readonly string[]): Shape {
  return { names, blank: Object.fromEntries(names.map((name) => [name, undefined])) };
}

function newNode(names: readonly string[]): Node {
  return { names, next: new Map(), number: undefined, last: undefined, lastName: undefined };
}
