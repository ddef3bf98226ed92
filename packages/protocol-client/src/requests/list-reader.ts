import { clone, create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { FREQUENCY_WINDOW_MS } from '@svc-gateway/wire';
import type { ProtocolOperation, RequestOptions } from '../connection/upstream.js';
import { type DayCache, keyOf } from './answer-caches.js';
import { pause } from './deadline.js';
import { answeredOf, askedOf, type ListRead } from './list-reads.js';
import { askInHalves, partsOf } from './parts.js';
import type { Turn } from './rate-budget.js';
import type { Outcome } from './refusals.js';
import { fieldsOf, scopeOf } from './request.js';
import type { Sender } from './sender.js';
import { joinWork, SharedWork } from './shared-work.js';

/** A guess of the bytes of an element of an answer, where the day's cache wants one. */
const ELEMENT_BYTES = 500;

/** Reasons that one answer tells. */
const REASONS_MAX = 20;

type Elements = Map<string, unknown>;

/** Outcome of a batch, item by item. */
interface BatchAnswer {
  /** The answer as it came, where one caller asked. */
  readonly whole: Outcome | undefined;
  /** By the key of the element. */
  readonly items: ReadonlyMap<string, Message>;
  readonly refused: ReadonlyMap<string, Outcome>;
  /** Answer to one of its requests, for the fields besides the list. */
  readonly response: ResponseMessage | undefined;
}

/** One request to the server, made of the lists of several callers. */
interface Batch {
  readonly elements: Elements;
  readonly work: SharedWork<BatchAnswer>;
  members: number;
  /** A caller can do with a part of the answer: refused elements are found. */
  inParts: boolean;
}

/** A list operation, and its requests that differ in nothing but their lists. */
interface Group {
  readonly read: ListRead;
  readonly asked: ProtocolOperation;
  readonly key: string;
  /** The request with an empty list. */
  readonly template: Message;
}

/**
 * Reads lists: splits those that are longer than the upstream takes, puts together those that wait for a turn at the same time,
 * and asks for no more than what is not known for the day. Answers are in the order of the request.
 */
export class ListReader {
  /** Requests that have yet to be sent, by group and markets. */
  readonly #open = new Map<string, Batch>();

  constructor(
    private readonly sender: Sender,
    private readonly clock: Clock,
    private readonly cache: DayCache,
  ) {}

  /** The answer to the whole list; a refusal of a part of it refuses all, and names the part. */
  async read(read: ListRead, asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<Outcome> {
    const template = clone(asked.messages.C2SSchema, c2s);
    (template as unknown as Record<string, unknown>)[read.asked] = [];
    const isPartial = read.partial !== undefined && fieldsOf(c2s)[read.partial] === true;
    if (read.partial !== undefined) delete (template as unknown as Record<string, unknown>)[read.partial];
    const group: Group = { read, asked, key: keyOf(asked, template), template };
    const wanted: Elements = new Map();
    const named = askedOf(read, c2s).map((element) => [read.keyOfAsked(element), element] as const);
    for (const [key, element] of named) wanted.set(key, element);
    const found = this.#known(group, wanted);
    const missing = [...wanted].filter(([key]) => !found.has(key));
    const parts = partsOf(missing, read.elementsMax);
    const answers = await Promise.all(parts.map((part) => this.#part(group, new Map(part), isPartial, options)));
    for (const [part, answer] of answers.entries()) {
      const refused = refusalOf(answer, parts[part] ?? [], isPartial);
      if (refused !== undefined) return parts.length === 1 ? refused : inPart(asked, refused, part, missing.length, read.elementsMax);
    }
    for (const { items } of answers) {
      for (const [key, item] of items) {
        if (read.daily === true) this.cache.set(`${group.key} ${key}`, item, ELEMENT_BYTES);
        if (wanted.has(key) && !found.has(key)) found.set(key, item);
      }
    }
    const [first] = answers;
    if (isPartial) return { response: composePartial(group, named, found, answers) };
    if (answers.length === 1 && first?.whole !== undefined && missing.length === named.length) return first.whole;
    const list = named.flatMap(([key]) => found.get(key) ?? []);
    return { response: compose(group, list, first?.response) };
  }

  /** Reads one part of a list, in a batch with other callers' parts. */
  #part(group: Group, elements: Elements, isPartial: boolean, options: RequestOptions): Promise<BatchAnswer> {
    // Requests for one market do not wait for another's, on which the server may be silent.
    const batchKey = `${group.key} ${scopeOf(requestOf(group, elements))}`;
    return joinWork(this.clock, options, () => {
      const open = this.#open.get(batchKey);
      const joined = open !== undefined && fits(open, elements, group.read.elementsMax) ? open : undefined;
      const batch = joined ?? this.#begin(group, batchKey, options.deadline);
      for (const [key, element] of elements) batch.elements.set(key, element);
      batch.members += 1;
      batch.inParts ||= isPartial;
      return { work: batch.work, isNew: joined === undefined };
    });
  }

  #begin(group: Group, batchKey: string, deadline: number): Batch {
    const close = () => {
      if (this.#open.get(batchKey) === batch) this.#open.delete(batchKey);
    };
    // The work begins in a later step: its first caller joins it before.
    const start = (shared: RequestOptions) => Promise.resolve().then(() => this.#send(group, batch, shared, close));
    const work = new SharedWork(this.clock, deadline, start, close);
    const batch: Batch = { elements: new Map(), members: 0, inParts: false, work };
    this.#open.set(batchKey, batch);
    return batch;
  }

  async #send(group: Group, batch: Batch, options: RequestOptions, close: () => void): Promise<BatchAnswer> {
    const { asked, template } = group;
    const { limiter } = this.sender;
    const like = { asked, c2s: template };
    const gatherMs = limiter.gatherMs(like);
    const hasTime = options.deadline - this.clock.monotonic() > gatherMs + FREQUENCY_WINDOW_MS / 10;
    if (gatherMs > 0 && hasTime) await pause(this.clock, gatherMs, options);
    const turn = await limiter.take(like, options);
    close();
    return this.#ask(group, batch.elements, batch.members === 1 && !batch.inParts, options, turn);
  }

  /** Asks for elements. Where several callers wait for them, those that are refused are found. */
  async #ask(group: Group, elements: Elements, isWhole: boolean, options: RequestOptions, turn: Turn): Promise<BatchAnswer> {
    let taken: Turn | undefined = turn;
    const ask = (part: readonly (readonly [string, unknown])[]) => {
      const inAdvance = taken;
      taken = undefined;
      return this.sender.ask(group.asked, requestOf(group, new Map(part)), options, inAdvance);
    };
    const answers = await askInHalves([...elements], ask, (outcome) => !isWhole && isAboutElements(outcome));
    const items = answers.flatMap(([, { response }]) => answeredOf(group.read, response));
    const refused = answers.flatMap(([part, outcome]) => (isSuccess(outcome) ? [] : part.map(([key]) => [key, outcome] as const)));
    return {
      whole: isWhole ? answers[0]?.[1] : undefined,
      items: new Map(items.map((item) => [group.read.keyOfAnswered(item), item])),
      refused: new Map(refused),
      response: (answers.find(([, outcome]) => isSuccess(outcome)) ?? answers[0])?.[1].response,
    };
  }

  #known({ read, key }: Group, wanted: Elements): Map<string, Message> {
    const found = new Map<string, Message>();
    if (read.daily === undefined) return found;
    for (const element of wanted.keys()) {
      const item = this.cache.get(`${key} ${element}`);
      if (item !== undefined) found.set(element, item);
    }
    return found;
  }
}

function fits(batch: Batch, elements: Elements, elementsMax: number): boolean {
  let size = batch.elements.size;
  for (const key of elements.keys()) if (!batch.elements.has(key)) size += 1;
  return size <= elementsMax;
}

function isSuccess({ response }: Outcome): boolean {
  return response.retType === 0;
}

/** Whether a refusal may be due to one element of several. */
function isAboutElements(outcome: Outcome): boolean {
  const { refused } = outcome;
  if (isSuccess(outcome)) return false;
  return refused === undefined || refused === 'no_right' || refused === 'not_subscribed' || refused === 'server_failed';
}

/** Reason why a part was refused, if it was; of a partial answer, by more than the words that a single element was refused with. */
function refusalOf(
  { whole, refused }: BatchAnswer,
  part: readonly (readonly [string, unknown])[],
  isPartial: boolean,
): Outcome | undefined {
  if (whole !== undefined) return isSuccess(whole) ? undefined : whole;
  const [key] = part.find(([element]) => refused.has(element) && !(isPartial && refused.get(element)?.refused === undefined)) ?? [];
  return key === undefined ? undefined : refused.get(key);
}

/** A refusal of one part of several, which says which. */
function inPart({ messages }: ProtocolOperation, outcome: Outcome, part: number, count: number, sizeMax: number): Outcome {
  const first = part * sizeMax + 1;
  const retMsg = `of the ${count} asked for, number ${first} to ${Math.min(count, first + sizeMax - 1)}: ${outcome.response.retMsg}`;
  return { ...outcome, response: Object.assign(create(messages.ResponseSchema), outcome.response, { retMsg }) };
}

function requestOf({ read, asked, template }: Group, elements: Elements): Message {
  const request = clone(asked.messages.C2SSchema, template);
  (request as unknown as Record<string, unknown>)[read.asked] = [...elements.values()];
  return request;
}

/** An answer of what was found, which names what was not. */
function composePartial(
  group: Group,
  named: readonly (readonly [string, unknown])[],
  found: ReadonlyMap<string, Message>,
  answers: readonly BatchAnswer[],
): ResponseMessage {
  const keys = [...new Set(named.map(([key]) => key))];
  const missing = keys.filter((key) => !found.has(key));
  const words = missing.flatMap((key) => answers.flatMap(({ refused }) => refused.get(key)?.response.retMsg ?? []));
  const list = named.flatMap(([key]) => found.get(key) ?? []);
  const reason = [...new Set(words)].slice(0, REASONS_MAX).join(' · ');
  const told = missing.length === 0 ? {} : { missing, missingReason: reason || 'the server has none of them' };
  const answered = answers.find(({ response }) => response?.retType === 0)?.response;
  return compose(group, list, answered, told);
}

/** One answer of the parts: the list as it is, all else as the first part has it. */
function compose({ read, asked }: Group, list: readonly Message[], first: ResponseMessage | undefined, more = {}): ResponseMessage {
  const s2c = Object.assign(create(asked.messages.S2CSchema), fieldsOf(first).s2c, { [read.answered]: list }, more);
  return create(asked.messages.ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
}
