import { newIdempotencyKey, Problem } from './api.js';
import { announce, byId, element, setText } from './dom.js';
import { wordsOf } from './panel.js';

export interface Question {
  readonly title: string;
  /** Exactly what will happen, a sentence each. */
  readonly sentences: readonly string[];
  /** Fields that the user may fill in. */
  readonly fields?: readonly HTMLElement[];
  /** The word on the button that does it: "Cancel order". */
  readonly action: string;
  /** The word on the button that does not. */
  readonly refuse: string;
  /** Label of trying again where no answer came: it may have been carried out. */
  readonly again: string;
  /** Does it, and says what came of it. Called again, with the same key, when the user tries again after a failure. */
  readonly run: (idempotencyKey: string) => Promise<string>;
}

const UNKNOWN = 'Whether it was carried out is not known.';
/** {@link Question.again} of operations that take an idempotency key. */
export const DONE_ONCE = 'Trying again is safe: it is sent under the same key, and done at most once.';

/** Asks before it acts. One question at a time; Escape and the first button leave everything as it is. */
export class Confirmation {
  readonly #dialog = byId('confirmation', HTMLDialogElement);
  #busy = false;

  constructor() {
    // While the request is under way its outcome is what the user waits for.
    this.#dialog.addEventListener('cancel', (event) => {
      if (this.#busy) event.preventDefault();
    });
  }

  /** Leaves an open question unanswered. */
  close(): void {
    this.#dialog.close();
  }

  ask(question: Question): void {
    if (this.#dialog.open) return;
    const idempotencyKey = newIdempotencyKey();
    const trouble = element('p', { class: 'trouble', role: 'alert' });
    const refuse = element('button', { type: 'button', autofocus: '' }, question.refuse);
    const action = element('button', { type: 'submit', class: 'danger' }, question.action);
    const sentences = question.sentences.map((sentence) => element('p', {}, sentence));
    const form = element(
      'form',
      {},
      element('h2', { id: 'confirmation-title' }, question.title),
      ...sentences,
      ...(question.fields ?? []),
      trouble,
      element('div', { class: 'buttons' }, refuse, action),
    );
    refuse.addEventListener('click', () => this.#dialog.close());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#act(question, idempotencyKey, [refuse, action], trouble);
    });
    this.#dialog.replaceChildren(form);
    this.#dialog.showModal();
  }

  async #act(question: Question, idempotencyKey: string, buttons: readonly HTMLButtonElement[], trouble: HTMLElement): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    const fields = question.fields?.flatMap((field) => [...field.querySelectorAll('input')]) ?? [];
    const set = (disabled: boolean) => {
      // A request under a key stays as it was sent.
      for (const control of fields) control.disabled = true;
      for (const button of buttons) button.disabled = disabled;
    };
    set(true);
    setText(trouble, '');
    try {
      const outcome = await question.run(idempotencyKey);
      this.#dialog.close();
      showOutcome(outcome);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      setText(trouble, thrown.status === undefined ? `${wordsOf(thrown)} ${UNKNOWN} ${question.again}` : wordsOf(thrown));
    } finally {
      this.#busy = false;
      set(false);
    }
  }
}

/** Outcome of the last action, for eyes and for screen readers. */
function showOutcome(outcome: string): void {
  const line = byId('outcome', HTMLElement);
  setText(line, outcome);
  line.hidden = false;
  announce(outcome);
}
