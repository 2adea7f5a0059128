import {
  type Decision,
  type DecisionInput,
  decide,
  editableColumns,
  openProof,
  type Plan,
  type Proof,
  withEdits,
} from '@arbiter/engine';
import type { InputEdit, WhatIfAnswer, WhatIfField, WhatIfOffer, WhatIfRequest } from './what-if-message.ts';

/** A decision that can be repeated. */
interface Trial {
  readonly plan: Plan;
  readonly input: DecisionInput;
  readonly columns: ReturnType<typeof editableColumns>;
  readonly recorded: readonly WhatIfOffer[];
}

const nothing = { fields: [], recorded: [], offers: [], drops: [], tookMs: 0 } as const;

let trial: Trial | null = null;

function open(text: string): Trial | null {
  const { plan, input } = openProof(JSON.parse(text) as Proof);
  if (input === null) return null;
  const recorded = offersOf(plan, decide(plan, input, { trace: false }));
  return { plan, input, columns: editableColumns(plan, input), recorded };
}

const offersOf = (plan: Plan, { items }: Decision): WhatIfOffer[] =>
  items.map(({ offerId, rank, score }) => ({ offerId, name: plan.names.offer(offerId)?.name ?? offerId, rank, score }));

const isPlain = (value: unknown): value is InputEdit['to'] =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

function fieldsOf({ plan, input, columns }: Trial): WhatIfField[] {
  const fields: { readonly path: string; readonly value: unknown }[] = [];
  for (const [name, { schemaId, column }] of columns) {
    const source = plan.enrichSources.find((each) => each.schemaId === schemaId && each.columns.includes(column));
    const row = source === undefined ? null : input.enriched[source.nodeId]?.[source.position];
    fields.push({ path: `customer.${name}`, value: row?.[column] ?? input.profile[column] ?? null });
  }
  for (const [name, value] of Object.entries(input.request.attributes))
    fields.push({ path: `attributes.${name}`, value });
  return fields.flatMap(({ path, value }) => (isPlain(value) ? [{ path, value }] : []));
}

function answer(
  { plan, input, columns, recorded, ...rest }: Trial,
  edits: WhatIfRequest['edits'],
): Omit<WhatIfAnswer, 'id'> {
  const changes = edits.map((edit) => ({ ...edit, from: null }));
  // A seed that isn't the input's own property isn't copied.
  const changed = { ...withEdits(plan, columns, input, changes), seed: input.seed };
  const startedAt = performance.now();
  const decision = decide(plan, changed, { trace: true });
  const tookMs = performance.now() - startedAt;
  const offers = offersOf(plan, decision);
  const removedOffers = recorded.filter(({ offerId }) => !offers.some((each) => each.offerId === offerId));
  const drops = removedOffers.map(({ offerId }) => ({
    offerId,
    reason: decision.trace?.dropped.findLast((row) => row.offerId === offerId)?.reason ?? null,
  }));
  return {
    failure: null,
    fields: fieldsOf({ plan, input, columns, recorded, ...rest }),
    recorded,
    offers,
    drops,
    tookMs,
  };
}

/** Returns the kind of problem only: the engine's messages are for developers. */
function respond({ proof, edits }: WhatIfRequest): Omit<WhatIfAnswer, 'id'> {
  try {
    if (proof !== undefined) trial = open(proof);
  } catch {
    return { ...nothing, failure: 'plan' };
  }
  if (trial === null) return { ...nothing, failure: 'withheld' };
  try {
    return answer(trial, edits);
  } catch {
    return { ...nothing, failure: 'values', fields: fieldsOf(trial), recorded: trial.recorded };
  }
}

/** Decides recorded decisions again with other inputs, by the engine itself. Nothing leaves the browser. */
globalThis.addEventListener('message', ({ data }: MessageEvent<WhatIfRequest>) => {
  globalThis.postMessage({ id: data.id, ...respond(data) });
});
