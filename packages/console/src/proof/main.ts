import { type Proof, type ProofCheck, readProof } from '@arbiter/engine';
import { proofFileTexts as t } from '../messages/decisions/proof.ts';

// The script of a proof file: replays the decision on this device and shows the result. Tenants' texts only become text nodes.

type Part = Node | string;

function element(tag: string, className: string, ...parts: readonly Part[]): HTMLElement {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...parts);
  return element;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function verdictPart({ verdict, failure }: ProofCheck, { withheld }: Proof): HTMLElement {
  const names = withheld.join(', ');
  const abouts = {
    identical: t.identicalAbout,
    different: t.differentAbout,
    withheld: t.withheldAbout(names),
  };
  const part = element('div', `verdict ${verdict}`, element('strong', '', t.verdicts[verdict]));
  part.setAttribute('role', 'status');
  part.append(element('p', '', abouts[verdict]));
  if (failure !== null) part.append(element('p', '', t.failure(failure)));
  if (verdict !== 'withheld' && names !== '') part.append(element('p', '', t.alsoWithheld(names)));
  return part;
}

const section = (title: string, ...parts: readonly Part[]): HTMLElement =>
  element('section', '', element('h2', '', title), ...parts);

interface Cell {
  readonly text: string;
  readonly look?: string;
}

function table(title: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): HTMLElement {
  const head = columns.map((column) => {
    const cell = element('th', '', column);
    cell.setAttribute('scope', 'col');
    return cell;
  });
  const body = rows.map((row) => element('tr', '', ...row.map(({ text, look = '' }) => element('td', look, text))));
  const card = element(
    'div',
    'card',
    element('table', '', element('thead', '', element('tr', '', ...head)), element('tbody', '', ...body)),
  );
  // Scrolls sideways on small screens, also by keyboard.
  card.tabIndex = 0;
  card.setAttribute('role', 'region');
  card.setAttribute('aria-label', title);
  return card;
}

function factsPart({ decision }: Proof): HTMLElement {
  const date = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' });
  const facts = [
    [t.facts.customer, decision.customerId ?? t.none],
    [t.facts.decidedAt, date.format(new Date(decision.decidedAt))],
    [t.facts.flow, t.flow(decision.flow.key, decision.flow.version)],
    [t.facts.recommendationId, decision.recommendationId],
    [t.facts.requestId, decision.requestId],
    [t.facts.engine, decision.engineVersion],
  ] as const;
  const rows = facts.flatMap(([name, value]) => [element('dt', '', name), element('dd', '', value)]);
  return section(t.decision, element('dl', 'card', ...rows));
}

const columnKeys = ['rank', 'offer', 'creative', 'channel', 'placement', 'score', 'probability'] as const;

function offersPart({ items }: ProofCheck): HTMLElement {
  if (items.length === 0) return section(t.offers, element('p', 'soft', t.noOffers));
  const number = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });
  const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 });
  const cells = items.map((item) => ({
    rank: String(item.rank),
    offer: item.offer,
    creative: item.creative,
    channel: item.channel,
    placement: item.placement,
    score: number.format(item.score),
    probability: percent.format(item.probability),
  }));
  const keys = columnKeys.filter((key) => cells.some((row) => row[key] !== null));
  const rows = cells.map((row) => keys.map((key) => ({ text: row[key] ?? t.none, look: key })));
  const columns = keys.map((key) => t.columns[key]);
  return section(t.offers, table(t.offers, columns, rows));
}

function hashesPart({ hashes }: ProofCheck): HTMLElement {
  const rows = hashes.map(({ what, recorded, computed }): Cell[] => [
    { text: t.contents[what] },
    { text: recorded, look: 'mono' },
    { text: computed ?? t.notComputed, look: 'mono' },
    computed === recorded
      ? { text: t.same, look: 'same' }
      : computed === null && what === 'result'
        ? { text: t.notComputed, look: 'soft' }
        : { text: t.other, look: 'other' },
  ]);
  return section(t.hashes, element('p', 'soft', t.hashesAbout), table(t.hashes, Object.values(t.hashColumns), rows));
}

function differencesPart({ differences }: ProofCheck): readonly HTMLElement[] {
  if (differences.length === 0) return [];
  const rows = differences.map(({ path, recorded, replayed }) =>
    [path === '' ? '/' : path, JSON.stringify(recorded), JSON.stringify(replayed)].map((text) => ({
      text,
      look: 'mono',
    })),
  );
  return [section(t.differences, table(t.differences, Object.values(t.differenceColumns), rows))];
}

async function show(page: HTMLElement, text: string): Promise<void> {
  page.append(element('h1', '', t.title), element('p', 'soft', t.checking));
  // Very old browsers don't provide it for local files.
  if (globalThis.crypto?.subtle === undefined) {
    page.append(element('p', 'verdict different', t.cannotHash));
    return;
  }
  const proof = JSON.parse(text) as Proof;
  const check = await readProof(proof, sha256);
  page.replaceChildren(
    element('h1', '', t.title),
    verdictPart(check, proof),
    factsPart(proof),
    offersPart(check),
    ...differencesPart(check),
    hashesPart(check),
    element('p', 'soft', t.offline),
  );
}

const page = document.querySelector<HTMLElement>('#page');
const content = document.querySelector('#proof')?.textContent ?? '';
if (page !== null && content !== '') void show(page, content);
