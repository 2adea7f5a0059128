// The documents' page in the browser: search, links that expand their operation, calls that can be run. The server
// embeds this file and docs-request.js in the page; without script the page stays readable. Text goes into the page
// only as text, never as HTML.
import { matches, readable, requestOf, sizeOf } from './docs-request.js';

const base = location.pathname.replace(/\/api(\/v1)?\/docs\/?$/, '');
const find = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** Creates an element with properties and children. A text child stays text. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

for (const element of all('[data-script]')) element.hidden = false;

// Search

const searchBox = find('#find');
const found = find('#found');
const sections = all('.group').map((group) => ({
  group,
  heading: group.previousElementSibling,
  operations: all('.op', group).map((operation) => ({
    operation,
    link: find(`nav a[href="#${CSS.escape(find('.inside', operation).id)}"]`)?.parentElement,
    text: `${find('summary', operation).textContent} ${find('.inside', operation).id}`,
  })),
}));
const navigationGroups = all('nav .tag');

function search() {
  const query = searchBox.value.trim();
  let count = 0;
  for (const { group, heading, operations } of sections) {
    let here = 0;
    for (const { operation, link, text } of operations) {
      const isHit = query === '' || matches(`${text} ${heading.textContent}`, query);
      operation.hidden = !isHit;
      if (link) link.hidden = !isHit;
      if (isHit) here += 1;
    }
    group.hidden = heading.hidden = here === 0;
    count += here;
  }
  for (const group of navigationGroups) group.hidden = all('li:not([hidden])', group).length === 0;
  document.body.classList.toggle('searching', query !== '');
  found.textContent = query === '' ? '' : count === 0 ? 'Nothing found' : `${count} found`;
}

searchBox.addEventListener('input', () => {
  search();
  scrollTo({ top: 0, behavior: 'instant' });
});
searchBox.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    searchBox.value = '';
    search();
    searchBox.blur();
  }
  if (event.key === 'Enter') {
    const hit = find('.op:not([hidden]) .inside');
    if (hit) location.hash = hit.id;
  }
});
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  searchBox.focus();
  searchBox.select();
});

// Links

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target?.closest('details.op');
  if (!details) return;
  if (details.hidden) {
    searchBox.value = '';
    search();
  }
  details.open = true;
  const summary = find('summary', details);
  summary.focus({ preventScroll: true });
  details.scrollIntoView();
}
addEventListener('hashchange', openTarget);

// The key: in this tab only, gone when it closes

const keyName = 'arbiter-docs-key';
const keyBox = find('#key');
const keyState = find('#key-state');

function stored(change) {
  try {
    if (change === undefined) return sessionStorage.getItem(keyName) ?? '';
    if (change === '') sessionStorage.removeItem(keyName);
    else sessionStorage.setItem(keyName, change);
  } catch {
    // The browser blocks storage, so the key stays only in the field.
  }
  return change ?? '';
}

async function tellHolder() {
  const key = keyBox.value.trim();
  if (key === '') {
    keyState.textContent = 'Kept in this tab only, until it is closed.';
    return;
  }
  try {
    const response = await fetch(`${base}/api/v1/auth/session`, {
      headers: { Accept: 'application/json', Authorization: `Bearer ${key}` },
      credentials: 'omit',
      cache: 'no-store',
    });
    if (keyBox.value.trim() !== key) return;
    const session = await response.json();
    keyState.textContent = session.authenticated
      ? `Calls act as ${session.principal.role ?? 'a key without a role'} of ${session.tenant.name}.`
      : 'The server does not know this key.';
  } catch {
    keyState.textContent = 'The key could not be checked.';
  }
}

keyBox.value = stored();
keyBox.addEventListener('change', () => {
  stored(keyBox.value.trim());
  tellHolder();
});
find('#forget').addEventListener('click', () => {
  keyBox.value = stored('');
  tellHolder();
  keyBox.focus();
});
tellHolder();

// Running a call

let fields = 0;

function fieldId() {
  fields += 1;
  return `field-${fields}`;
}

function field(labels, name, required, hint) {
  const id = fieldId();
  const input = make('input', { id, name, placeholder: hint, autocomplete: 'off', spellcheck: false, required });
  const label = make('label', { htmlFor: id }, name);
  if (required) label.append(make('span', { className: 'req' }, 'required'));
  labels.append(make('div', { className: 'field' }, label, input));
  return input;
}

/** Returns a reader for the values of some inputs. */
function inputs(panel, title, parameters) {
  if (parameters.length === 0) return () => ({});
  const fieldset = make('fieldset', {}, make('legend', {}, title));
  const made = parameters.map(([name, required, hint]) => [name, field(fieldset, name, required, hint)]);
  panel.append(fieldset);
  return () => Object.fromEntries(made.map(([name, input]) => [name, input.value.trim()]));
}

function buildPanel(inside) {
  const slot = find('.run', inside);
  if (!slot || slot.childElementCount > 0) return;
  const call = JSON.parse(slot.dataset.call);
  const form = make('form', { autocomplete: 'off', noValidate: true });
  const params = inputs(form, 'Path', call.params);
  const query = inputs(form, 'Query', call.query);
  const headers = inputs(form, 'Headers', call.headers);
  let body = () => '';
  if (call.hasBody) {
    const id = fieldId();
    const text = slot.dataset.body;
    const area = make('textarea', {
      id,
      value: text,
      spellcheck: false,
      rows: Math.min(24, text.split('\n').length + 1),
    });
    form.append(make('div', { className: 'field' }, make('label', { htmlFor: id }, 'Body'), area));
    body = () => area.value;
  }
  const button = make('button', { type: 'submit' }, 'Send');
  const hint = call.method === 'GET' ? '' : 'Acts on the data of the key’s tenant.';
  const outcome = make('p', { className: 'outcome', role: 'status' });
  const answer = make('div', { className: 'answer' });
  form.append(make('div', { className: 'send' }, button, make('span', { className: 'hint' }, hint)));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    outcome.replaceChildren('Waiting for the answer.');
    answer.replaceChildren();
    try {
      const values = { params: params(), query: query(), headers: headers(), body: body() };
      const result = await run(call, values);
      outcome.replaceChildren(...result.outcome);
      answer.replaceChildren(...result.details);
    } catch (error) {
      const reason = error instanceof TypeError ? `The call could not be sent: ${error.message}` : error.message;
      outcome.replaceChildren(make('strong', { className: 'failed' }, reason));
    } finally {
      button.disabled = false;
    }
  });
  slot.append(make('h3', {}, 'Run it'), form, outcome, answer);
}

/** Sends the call. Resolves with the part of the answer to show. */
async function run(call, values) {
  const { url, init } = requestOf(call, values, keyBox.value.trim());
  const startedAt = performance.now();
  const response = await fetch(base + url, {
    ...init,
    cache: 'no-store',
    // Use the entered key, never a session that this browser happens to have.
    credentials: 'omit',
    redirect: 'manual',
  });
  const text = await response.text();
  const ms = Math.round(performance.now() - startedAt);
  const size = sizeOf(new TextEncoder().encode(text).length);
  const outcome = [
    make('strong', { className: response.ok ? 'ok' : 'failed' }, `${response.status} ${response.statusText}`.trim()),
    make('span', {}, `${ms} ms`),
    make('span', {}, size),
  ];
  const details = [];
  if (response.status === 401 && call.takesKey) {
    const link = make('a', { href: '#key' }, 'Enter an API key');
    details.push(make('p', { className: 'hint' }, link, ' that the server knows.'));
  }
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  details.push(make('details', { className: 'more' }, make('summary', {}, 'Headers'), block(lines)));
  if (text !== '') details.push(block(readable(text, response.headers.get('content-type') ?? '')));
  return { outcome, details };
}

/** Returns a text block. It's focusable so that keyboard users can scroll it. */
function block(text) {
  return make('pre', { tabIndex: 0 }, make('code', {}, text));
}

// `toggle` doesn't bubble, so listen in the capture phase.
document.addEventListener(
  'toggle',
  (event) => {
    const details = event.target;
    if (details.open && details.matches?.('.op')) buildPanel(find('.inside', details));
  },
  true,
);

// Copying, where the browser allows it

if (navigator.clipboard) {
  for (const block of all('.copy')) {
    const button = make('button', { type: 'button', className: 'plain' }, 'Copy');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(find('code', block).textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    block.append(button);
  }
}

openTarget();
