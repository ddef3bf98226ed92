import { Api, Problem, probe } from './api.js';
import { showSimulatedBy } from './banner.js';
import { Desk } from './desk.js';
import { announce, byId, setText } from './dom.js';
import { wordsOf } from './panel.js';
import { whoOf } from './who.js';

/** Where a key is kept that the user wants kept: by this tab, until it is closed. */
const KEPT_AS = 'svc-console-key';
/** Characters of a key; anything else could not even be sent. */
const KEY = /^[A-Za-z0-9_~.+/=-]{1,512}$/;

const signIn = byId('sign-in', HTMLElement);
const form = byId('sign-in-form', HTMLFormElement);
const keyField = byId('api-key', HTMLInputElement);
const keep = byId('keep', HTMLInputElement);
const trouble = byId('sign-in-trouble', HTMLElement);
const signOut = byId('sign-out', HTMLButtonElement);
const columns = byId('columns', HTMLElement);
let desk: Desk | undefined;

/** Asks the daemon whose key it is, and opens what it may see. Says why not otherwise. */
async function enter(key: string | undefined): Promise<Problem | undefined> {
  const api = new Api(key, (problem) => {
    // Later on: before the desk is open, the caller below is told.
    if (desk?.api === api) leave(`The daemon no longer takes this key: ${wordsOf(problem)} Enter another one.`);
  });
  try {
    const who = whoOf(await api.get('api/whoami'));
    signIn.hidden = true;
    columns.hidden = false;
    signOut.hidden = key === undefined;
    desk = new Desk(api, who);
    announce(who.keyId === undefined ? 'Signed in without a key' : `Signed in with key ${who.keyId}`);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown;
    throw thrown;
  }
}

/** Forgets the key and all that it has brought. */
function leave(why: string): void {
  keptKey(null);
  desk?.close();
  desk = undefined;
  columns.hidden = true;
  signOut.hidden = true;
  signIn.hidden = false;
  setText(trouble, why);
  keyField.focus();
}

/** The key that the tab keeps, if any; with `change`, keeps that one or none. Without a word where the browser keeps nothing. */
function keptKey(change?: string | null): string | undefined {
  try {
    if (typeof change === 'string') window.sessionStorage.setItem(KEPT_AS, change);
    else if (change === null) window.sessionStorage.removeItem(KEPT_AS);
    return window.sessionStorage.getItem(KEPT_AS) ?? undefined;
  } catch {
    return undefined;
  }
}

async function submitted(): Promise<void> {
  const key = keyField.value.trim();
  const button = form.querySelector('button');
  if (!KEY.test(key)) {
    setText(trouble, 'That is no API key: one looks like svc_ and 43 letters, digits, - or _.');
    return;
  }
  if (button !== null) button.disabled = true;
  setText(trouble, '');
  const problem = await enter(key);
  if (button !== null) button.disabled = false;
  if (problem === undefined) {
    keyField.value = '';
    if (keep.checked) keptKey(key);
    return;
  }
  const advice =
    problem.status === 401
      ? ' Check that the whole key was pasted; svcctl gen-key makes a new one, and svcctl reload lets the daemon know it.'
      : '';
  setText(trouble, `${wordsOf(problem)}${advice}`);
  keyField.select();
}

async function start(): Promise<void> {
  const kept = keptKey();
  const problem = await enter(kept);
  if (problem === undefined) return;
  const refused = problem.status === 401;
  if (refused) keptKey(null);
  // Without a key the daemon asks for one, which is no trouble but what the form is for.
  if (!refused) setText(trouble, wordsOf(problem));
  else if (kept !== undefined) setText(trouble, `The daemon no longer takes the key that this tab kept: ${wordsOf(problem)}`);
  signIn.hidden = false;
  keyField.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void submitted();
});
signOut.addEventListener('click', () => leave(''));
window.addEventListener('online', () => desk?.resume());
window.addEventListener('pagehide', () => desk?.pause());
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) desk?.resume();
});
void showSimulatedBy(() => probe('readyz'));
void start();
